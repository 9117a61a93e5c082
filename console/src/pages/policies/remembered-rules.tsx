import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { RememberedRule } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/text/json-view.tsx';
import { PrincipalName } from '../../components/calls/principal-name.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { TimeAgo } from '../../components/time.tsx';
import { callsUrl } from '../calls/call-filters.ts';

/** Lists remembered approvals with the calls that they allowed, and revokes them. */
export function RememberedRules(): ReactNode {
  const { data: rules, error, refetch } = useQuery(queries.rules());
  const [revoking, setRevoking] = useState<RememberedRule>();
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (rules === undefined) return undefined;
  if (rules.length === 0)
    return (
      <EmptyState icon="check" title="No remembered approvals">
        <p>
          Rules you create with “Remember…” appear here until you revoke them. Pending approvals are in the{' '}
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

const maxCounted = 1000;

function RuleRow({ rule, onRevoke }: { readonly rule: RememberedRule; readonly onRevoke: () => void }): ReactNode {
  const { id, principal, by, at, answers, arguments: args } = rule;
  const text = `remembered:${id}`;
  const { data } = useQuery(queries.callWindow({ filters: { text }, limit: maxCounted }, () => ({ text })));
  const count = data?.items.length ?? 0;
  return (
    <li>
      <div className="remembered-words">
        <p>
          <strong>{wordsFor(rule)}</strong> <Badge tone="gray">{rule.scope}</Badge>
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
              'No calls yet'
            ) : (
              <Link to={callsUrl({ text })}>
                {count}
                {data.next === undefined ? '' : ' or more'} {count === 1 ? 'call' : 'calls'} allowed
              </Link>
            )}
          </p>
        )}
      </div>
      <Button operation="DELETE /api/approvals/rules/{id}" kind="danger" onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

function Revoke({ rule, onClose }: { readonly rule: RememberedRule; readonly onClose: () => void }): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const revoke = useMutation({
    mutationFn: () => api('DELETE /api/approvals/rules/{id}', { path: { id: rule.id } }),
    onSuccess: ({ items }) => {
      cache.setQueryData(queries.rules().queryKey, items);
      toaster.success('Revoked; matching calls ask again');
      onClose();
    },
  });
  return (
    <Dialog title="Revoke this rule?" onClose={onClose}>
      <p>{wordsFor(rule)}: matching calls will ask again. Past calls are not affected.</p>
      {revoke.error === null ? undefined : <ProblemNote error={revoke.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
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
      return `Every tool of ${server} that can be undone or compensated`;
  }
}
