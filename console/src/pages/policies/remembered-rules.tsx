import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { RememberedRule } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { callsAddress } from '../calls/filters.ts';

/** Approvals that hold for more than one call: for what, by whom, what they let through, and the way to end them. */
export function RememberedRules(): ReactNode {
  const { data: rules, error, refetch } = useQuery(queries.rules());
  const [revoking, setRevoking] = useState<RememberedRule>();
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (rules === undefined) return undefined;
  if (rules.length === 0)
    return (
      <EmptyState icon="check" title="Nothing is remembered">
        <p>
          When you answer an approval with “Remember…”, the rule stands here until you revoke it. Approvals wait in the{' '}
          <Link to="/inbox">inbox</Link>.
        </p>
      </EmptyState>
    );
  return (
    <>
      <ul className="remembered card" aria-label="Remembered rules">
        {rules.toReversed().map((rule) => (
          <RuleRow key={rule.id} rule={rule} onRevoke={() => setRevoking(rule)} />
        ))}
      </ul>
      {revoking === undefined ? undefined : <Revoke rule={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

const mostCounted = 1000;

function RuleRow({ rule, onRevoke }: { readonly rule: RememberedRule; readonly onRevoke: () => void }): ReactNode {
  const { id, principal, by, at, answers, arguments: args } = rule;
  const text = `remembered:${id}`;
  const { data } = useQuery(queries.callWindow({ filters: { text }, limit: mostCounted }, () => ({ text })));
  const count = data?.items.length ?? 0;
  return (
    <li>
      <div className="remembered-words">
        <p>
          <strong>{wordsFor(rule)}</strong> <Badge tone="grey">{rule.scope}</Badge>
        </p>
        <p className="faint">
          for <PrincipalName of={principal} /> · by <PrincipalName of={by} />, <TimeAgo at={at} /> · answers{' '}
          {answers.map((each) => each.rule).join(', ')}
        </p>
        {args === undefined ? undefined : (
          <details className="fold">
            <summary>Arguments</summary>
            <JsonView value={args} />
          </details>
        )}
        {data === undefined ? undefined : (
          <p>
            {count === 0 ? (
              'No call has run by it yet.'
            ) : (
              <Link to={callsAddress({ text })}>
                {count}
                {data.next === undefined ? '' : ' or more'} {count === 1 ? 'call' : 'calls'} ran by it
              </Link>
            )}
          </p>
        )}
      </div>
      <Button asks="DELETE /api/approvals/rules/{id}" kind="danger" onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

function Revoke({ rule, onClose }: { readonly rule: RememberedRule; readonly onClose: () => void }): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const revoke = useMutation({
    mutationFn: () => api('DELETE /api/approvals/rules/{id}', { path: { id: rule.id } }),
    onSuccess: ({ items }) => {
      cache.setQueryData(queries.rules().queryKey, items);
      tell.done('Revoked: such calls ask again.');
      onClose();
    },
  });
  return (
    <Dialog title="Ask again from now on?" onClose={onClose}>
      <p>{wordsFor(rule)}: such calls wait for an answer again. What ran stays as it is.</p>
      {revoke.error === null ? undefined : <ProblemNote error={revoke.error} />}
      <div className="actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      </div>
    </Dialog>
  );
}

function wordsFor({ scope, tool, server, session }: RememberedRule): string {
  switch (scope) {
    case 'session':
      return `${tool ?? ''} in session ${session ?? ''}`;
    case 'arguments':
      return `${tool ?? ''} with exactly these arguments`;
    case 'tool':
      return `${tool ?? ''} with any arguments`;
    case 'server':
      return `Every tool of ${server} whose effect can be undone or made good`;
  }
}
