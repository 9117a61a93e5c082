import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Approval, RememberScope } from '../../api/schema.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { TimeAgo } from '../time.tsx';
import { useAnswerGuard } from './use-answer-guard.ts';

/** Approves and remembers a call, after showing which recorded calls the rule would have allowed. */
export function RememberDialog({
  approval,
  isGone,
  isBusy,
  error,
  onDone,
  onClose,
}: {
  readonly approval: Approval;
  /** Whether the caller no longer waits, so that approving runs nothing now. */
  readonly isGone: boolean;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onDone: (scope: RememberScope) => void;
  readonly onClose: () => void;
}): ReactNode {
  const scopes = scopesOf(approval);
  const [scope, setScope] = useState<RememberScope>(scopes[0]?.scope ?? 'arguments');
  const preview = useQuery(queries.remembering(approval.id, scope));
  const isIrreversible = approval.effect === 'irreversible';
  const guard = useAnswerGuard(`remember ${isGone}`);
  return (
    <Dialog title="Approve and remember" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone(scope);
        }}
      >
        <fieldset className="choices">
          <legend>Stop asking for</legend>
          {scopes.map((each) => (
            <label key={each.scope}>
              <input type="radio" name="scope" checked={scope === each.scope} onChange={() => setScope(each.scope)} />
              <span>{each.label}</span>
            </label>
          ))}
        </fieldset>
        {preview.error === null ? undefined : <ProblemNote error={preview.error} />}
        {preview.data === undefined ? undefined : <Preview {...preview.data} />}
        {error === null ? undefined : <ProblemNote error={error} />}
        {isGone ? (
          <p className="note amber">
            Approving does not run the call now. The rule applies when the caller makes a matching call again.
          </p>
        ) : undefined}
        {isIrreversible ? (
          <p className="note red">
            {isGone ? 'The call' : 'This call runs now and'} cannot be undone. Later calls with exactly these arguments
            run without asking.
          </p>
        ) : undefined}
        <p className="faint">
          The rule applies to this caller. You can revoke it at any time in Policies, under Remembered.
        </p>
        <div className="actions">
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={preview.data === undefined || !guard.isReady}>
            {isGone
              ? 'Approve for later and remember'
              : isIrreversible
                ? 'Run it and remember'
                : 'Approve and remember'}
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
            ? 'No other recorded call would have run without asking.'
            : `${count} recorded ${count === 1 ? 'call' : 'calls'} would have run without asking.`}
          {denied === 0 ? '' : ` ${denied} of them ${denied === 1 ? 'was' : 'were'} denied.`}
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

/** Returns the available scopes. Irreversible calls can be remembered only for exactly the same arguments. */
function scopesOf({
  tool,
  server,
  effect,
  session,
}: Approval): readonly { readonly scope: RememberScope; readonly label: string }[] {
  const same = { scope: 'arguments', label: 'exactly these arguments' } as const;
  if (effect === 'irreversible') return [same];
  return [
    ...(session === undefined ? [] : [{ scope: 'session', label: `${tool}, in this session` } as const]),
    same,
    { scope: 'tool', label: `${tool}, with any arguments` },
    { scope: 'server', label: `every tool of ${server} that can be undone or compensated` },
  ];
}
