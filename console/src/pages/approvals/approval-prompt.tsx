import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Approval, ApproveRequest } from '../../api/schema.ts';
import { useRefusal } from '../../app/reader.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useTell } from '../../app/toasts.tsx';
import { EffectBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DecisionView } from '../../parts/decision-view.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { EditArguments } from './edit-arguments.tsx';
import { RememberDialog } from './remember-dialog.tsx';

type Answer =
  | { readonly what: 'approve'; readonly body: ApproveRequest }
  | { readonly what: 'deny'; readonly reason: string };

/** One exact call that waits, and every way to answer it. The keys are for the one that is in focus. */
export function ApprovalPrompt({
  id,
  hasKeys,
  inCard = false,
}: {
  readonly id: string;
  readonly hasKeys: boolean;
  /** The name of the tool and its effect stand above it already. */
  readonly inCard?: boolean;
}): ReactNode {
  const { data: approval, error } = useQuery(queries.approval(id));
  if (error !== null) return <ProblemNote error={error} />;
  if (approval === undefined) return <div className="approval-waiting" />;
  return <LoadedPrompt approval={approval} hasKeys={hasKeys} inCard={inCard} />;
}

function LoadedPrompt({
  approval,
  hasKeys,
  inCard,
}: {
  readonly approval: Approval;
  readonly hasKeys: boolean;
  readonly inCard: boolean;
}): ReactNode {
  const { id, tool, effect, principal, decision, note, expiresAt, arguments: args, state } = approval;
  const [doing, setDoing] = useState<'edit' | 'deny' | 'remember'>();
  const [reason, setReason] = useState('');
  const cache = useQueryClient();
  const tell = useTell();
  const answer = useMutation({
    mutationFn: (given: Answer) =>
      given.what === 'approve'
        ? api('POST /api/approvals/{id}/approve', { path: { id }, body: given.body })
        : api('POST /api/approvals/{id}/deny', {
            path: { id },
            body: given.reason.trim() === '' ? {} : { reason: given.reason.trim() },
          }),
    onSuccess: (answered) => cache.setQueryData(queries.approval(id).queryKey, answered),
    onError: (problem) => {
      // Somebody was faster, or it is too late: the question is gone, and that is worth a word.
      if (problem instanceof ProblemError && problem.status === 409) tell.problem(problem);
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const refusal = useRefusal('POST /api/approvals/{id}/approve');
  const isOpen = refusal === undefined && state === 'pending' && !answer.isPending;
  // While the arguments are edited, `a` must not approve them as they were.
  const heard = { isOn: hasKeys && isOpen && doing === undefined };
  const approve = (body: ApproveRequest = {}): void => answer.mutate({ what: 'approve', body });
  useShortcut('a', 'Approve', () => approve(), heard);
  useShortcut('e', 'Edit and approve', () => setDoing('edit'), heard);
  useShortcut('d', 'Deny', () => setDoing('deny'), heard);
  useShortcut('r', 'Approve and remember', () => setDoing('remember'), heard);
  if (state !== 'pending') return <Answered approval={approval} />;
  return (
    <section className="approval" aria-label={`Approval of ${tool}`}>
      <header>
        {inCard ? undefined : (
          <>
            <h2>
              <code>{tool}</code>
            </h2>
            <EffectBadge effect={effect} />
          </>
        )}
        <span className={inCard ? 'faint' : 'faint approval-when'}>
          <PrincipalName of={principal} /> asks · expires <TimeAgo at={expiresAt} />
        </span>
      </header>
      <DecisionView decision={decision} />
      {note === undefined ? undefined : <p className="faint">{note}</p>}
      {doing === 'edit' ? (
        <EditArguments
          value={args}
          isBusy={answer.isPending}
          onCancel={() => setDoing(undefined)}
          onDone={(edited) => approve({ arguments: edited })}
        />
      ) : (
        <div className="payload" role="group" aria-label="Arguments" tabIndex={0}>
          <JsonView value={args} open={3} />
        </div>
      )}
      {answer.error === null ? undefined : <ProblemNote error={answer.error} />}
      {doing === 'deny' ? (
        <form
          className="deny"
          onSubmit={(event) => {
            event.preventDefault();
            answer.mutate({ what: 'deny', reason });
          }}
        >
          <label className="field">
            <span>Why not? (told to whoever made the call; may be left empty)</span>
            <input
              autoFocus
              maxLength={1000}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setDoing(undefined);
              }}
            />
          </label>
          <div className="actions">
            <Button onClick={() => setDoing(undefined)}>Back</Button>
            <Button kind="danger" type="submit" isBusy={answer.isPending}>
              Deny
            </Button>
          </div>
        </form>
      ) : undefined}
      {refusal !== undefined ? (
        <p className="faint">{refusal}</p>
      ) : doing === undefined || doing === 'remember' ? (
        <div className="actions approval-actions">
          <Button
            kind="primary"
            icon="check"
            {...key('a', hasKeys)}
            isBusy={answer.isPending}
            onClick={() => approve()}
          >
            Approve
          </Button>
          <Button icon="pencil" {...key('e', hasKeys)} onClick={() => setDoing('edit')}>
            Edit
          </Button>
          <Button {...key('r', hasKeys)} onClick={() => setDoing('remember')}>
            Remember…
          </Button>
          <Button kind="danger" {...key('d', hasKeys)} onClick={() => setDoing('deny')}>
            Deny
          </Button>
        </div>
      ) : undefined}
      {doing === 'remember' ? (
        <RememberDialog
          approval={approval}
          isBusy={answer.isPending}
          error={answer.error}
          onClose={() => setDoing(undefined)}
          onDone={(scope) => approve({ remember: scope })}
        />
      ) : undefined}
    </section>
  );
}

function key(shortcut: string, isShown: boolean): { readonly shortcut?: string } {
  return isShown ? { shortcut } : {};
}

function Answered({ approval }: { readonly approval: Approval }): ReactNode {
  const words = { approved: 'Approved', used: 'Approved', denied: 'Denied', expired: 'Expired', pending: 'Pending' };
  return (
    <p className="faint" role="status">
      {words[approval.state]} <code>{approval.tool}</code>
    </p>
  );
}
