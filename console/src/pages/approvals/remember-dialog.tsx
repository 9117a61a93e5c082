import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Approval, RememberScope } from '../../api/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';

/** Writes a rule, after showing which recorded calls it would have let through. */
export function RememberDialog({
  approval,
  isBusy,
  error,
  onDone,
  onClose,
}: {
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onDone: (scope: RememberScope) => void;
  readonly onClose: () => void;
}): ReactNode {
  const scopes = scopesOf(approval);
  const [scope, setScope] = useState<RememberScope>(scopes[0]?.scope ?? 'arguments');
  const preview = useQuery(queries.remembering(approval.id, scope));
  return (
    <Dialog title="Approve and remember" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone(scope);
        }}
      >
        <fieldset className="choices">
          <legend>From now on, do not ask for</legend>
          {scopes.map((each) => (
            <label key={each.scope}>
              <input type="radio" name="scope" checked={scope === each.scope} onChange={() => setScope(each.scope)} />
              <span>{each.what}</span>
            </label>
          ))}
        </fieldset>
        {preview.error === null ? undefined : <ProblemNote error={preview.error} />}
        {preview.data === undefined ? undefined : <Preview {...preview.data} />}
        {error === null ? undefined : <ProblemNote error={error} />}
        {approval.effect === 'irreversible' ? (
          <p className="note red">
            This call runs now and cannot be undone. Calls with exactly these arguments will then run without a
            question.
          </p>
        ) : undefined}
        <p className="faint">The rule holds for this caller. It can be seen and revoked at any time.</p>
        <div className="actions">
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={preview.data === undefined}>
            {approval.effect === 'irreversible' ? 'Yes, run it and remember' : 'Approve and remember'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Preview({
  count,
  denied,
  examples,
}: {
  readonly count: number;
  readonly denied: number;
  readonly examples: readonly Approval[];
}): ReactNode {
  return (
    <div className={denied > 0 ? 'note amber' : 'note'} role="status">
      <div className="note-text">
        <p>
          {count === 0
            ? 'No other call on record would have run without a question.'
            : `On record, ${count} ${count === 1 ? 'call' : 'calls'} would have run without a question.`}
          {denied === 0 ? '' : ` A human refused ${denied} of these.`}
        </p>
        <ul className="examples">
          {examples.slice(0, 5).map(({ id, tool, state, arguments: args, requestedAt }) => (
            <li key={id}>
              <code>{tool}</code> <span className="faint">{state}</span>{' '}
              <code className="faint">{JSON.stringify(args)}</code>{' '}
              <span className="faint">
                <TimeAgo at={requestedAt} />
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** What cannot be undone is remembered for exactly the same arguments only. */
function scopesOf({
  tool,
  server,
  effect,
  session,
}: Approval): readonly { readonly scope: RememberScope; readonly what: string }[] {
  const same = { scope: 'arguments', what: 'exactly these arguments' } as const;
  if (effect === 'irreversible') return [same];
  return [
    ...(session === undefined ? [] : [{ scope: 'session', what: `${tool}, in this session` } as const]),
    same,
    { scope: 'tool', what: `${tool}, with any arguments` },
    { scope: 'server', what: `every tool of ${server} whose effect can be undone or compensated` },
  ];
}
