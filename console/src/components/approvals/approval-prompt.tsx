import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Approval, ApproveRequest } from '../../api/schema.ts';
import { useForbiddenReason } from '../../app/current-user.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { EffectBadge } from '../badge.tsx';
import { Button } from '../button.tsx';
import { DecisionView } from '../calls/decision-view.tsx';
import { PrincipalName } from '../calls/principal-name.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { TimeAgo } from '../time.tsx';
import { ApprovalArguments, useHiddenParts } from './approval-arguments.tsx';
import { AnsweredNote, CallerGone, HoldsForSession, reportAnswer } from './approval-notes.tsx';
import { ConfirmApproval, DenyForm, AnswerHint } from './answer-forms.tsx';
import { EditArguments } from './edit-arguments.tsx';
import { RememberDialog } from './remember-dialog.tsx';
import { useAnswerGuard } from './use-answer-guard.ts';

type Answer =
  | { readonly kind: 'approve'; readonly body: ApproveRequest }
  | { readonly kind: 'deny'; readonly reason: string };

/** The default rule for undoable calls. One approval satisfies it for the rest of the session. */
const rememberedPerSession = 'default:undoable';

interface PromptProperties {
  readonly hasKeys: boolean;
  /** Whether the surrounding card already shows the tool and its effect. */
  readonly inCard?: boolean;
  /** Whether this page repeats the call after the answer, so that the caller counts as waiting. */
  readonly isCalledAgain?: boolean;
  /** Called after the user of this page answered. */
  readonly onAnswered?: (id: string) => void;
}

/** A pending call with every way to answer it. `hasKeys`: whether it receives the keyboard shortcuts. */
export function ApprovalPrompt({ id, ...rest }: PromptProperties & { readonly id: string }): ReactNode {
  const { data: approval, error } = useQuery(queries.approval(id));
  if (error !== null) return <ProblemNote error={error} />;
  if (approval === undefined) return <div className="approval-waiting" />;
  return <LoadedPrompt approval={approval} {...rest} />;
}

function LoadedPrompt({
  approval,
  hasKeys,
  inCard = false,
  isCalledAgain = false,
  onAnswered,
}: PromptProperties & { readonly approval: Approval }): ReactNode {
  const { id, tool, effect, principal, decision, note, flags, expiresAt, arguments: args, state, session } = approval;
  const [openForm, setOpenForm] = useState<'confirm' | 'edit' | 'deny' | 'remember'>();
  const parts = useHiddenParts(approval, useState(false));
  const isGone = approval.caller === 'gone' && !isCalledAgain;
  // Buttons that change their meaning are held back like new ones; those that the user returns to from a form are not.
  const guard = useAnswerGuard(`${hasKeys} ${isGone} ${parts.revealed !== undefined}`);
  const cache = useQueryClient();
  const toaster = useToaster();
  const answer = useMutation({
    mutationFn: (request: Answer) =>
      request.kind === 'approve'
        ? api('POST /api/approvals/{id}/approve', { path: { id }, body: request.body })
        : api('POST /api/approvals/{id}/deny', {
            path: { id },
            body: request.reason.trim() === '' ? {} : { reason: request.reason.trim() },
          }),
    onSuccess: (answered) => {
      cache.setQueryData(queries.approval(id).queryKey, answered);
      reportAnswer(toaster, answered, isGone);
      onAnswered?.(id);
    },
    onError: (problem) => {
      // The approval was already answered or has expired; the prompt disappears, so report it in a toast.
      if (problem instanceof ProblemError && problem.status === 409) toaster.error(problem);
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const refusal = useForbiddenReason('POST /api/approvals/{id}/approve');
  const isOpen = refusal === undefined && state === 'pending' && !answer.isPending;
  const canApprove = guard.isReady && !parts.needsReveal;
  // The server refuses to remember approvals of calls on protected files.
  const canRemember = decision.protectedFiles === undefined;
  // While the arguments are edited, `a` must not approve the original ones.
  const shortcutOptions = { isOn: hasKeys && isOpen && openForm === undefined };
  const approve = (body: ApproveRequest = {}): void =>
    answer.mutate({ kind: 'approve', body: parts.isAcknowledged ? { ...body, acknowledgeHidden: true } : body });
  const startApproval = (): void => (effect === 'irreversible' ? setOpenForm('confirm') : approve());
  const unlessHidden = (run: () => void): void => guard.answer(() => (parts.needsReveal ? undefined : run()));
  useShortcut('a', 'Approve', () => unlessHidden(startApproval), shortcutOptions);
  useShortcut('e', 'Edit and approve', () => unlessHidden(() => setOpenForm('edit')), shortcutOptions);
  useShortcut('d', 'Deny', () => guard.answer(() => setOpenForm('deny')), shortcutOptions);
  useShortcut('r', 'Approve and remember', () => unlessHidden(() => setOpenForm('remember')), {
    isOn: shortcutOptions.isOn && canRemember,
  });
  useShortcut('v', 'Reveal hidden parts', () => parts.reveal(), { isOn: shortcutOptions.isOn && parts.needsReveal });
  if (state !== 'pending') return <AnsweredNote approval={approval} />;
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
          Requested by <PrincipalName of={principal} /> · expires <TimeAgo at={expiresAt} />
        </span>
      </header>
      <DecisionView decision={decision} />
      {note === undefined ? undefined : <p className="faint">{note}</p>}
      {isGone ? <CallerGone expiresAt={expiresAt} /> : undefined}
      {!isGone && decision.rule === rememberedPerSession && session !== undefined ? (
        <HoldsForSession tool={tool} />
      ) : undefined}
      {flags?.map((flag) => (
        <p key={flag} className="note amber">
          Suspicious: {flag}
        </p>
      ))}
      {openForm === 'edit' ? (
        <EditArguments
          value={args}
          isBusy={answer.isPending}
          onCancel={() => setOpenForm(undefined)}
          onDone={(edited) => approve({ arguments: edited })}
        />
      ) : (
        <ApprovalArguments
          approval={approval}
          parts={parts}
          canAnswer={refusal === undefined}
          shortcut={key('v', hasKeys)}
        />
      )}
      {answer.error === null ? undefined : <ProblemNote error={answer.error} />}
      {openForm === 'deny' ? (
        <DenyForm
          isBusy={answer.isPending}
          onCancel={() => setOpenForm(undefined)}
          onDone={(reason) => answer.mutate({ kind: 'deny', reason })}
        />
      ) : undefined}
      {openForm === 'confirm' ? (
        <ConfirmApproval
          tool={tool}
          isGone={isGone}
          isBusy={answer.isPending}
          onCancel={() => setOpenForm(undefined)}
          onDone={() => approve()}
        />
      ) : undefined}
      {refusal !== undefined ? (
        <p className="faint">{refusal}</p>
      ) : openForm === undefined || openForm === 'remember' ? (
        <>
          <div {...guard.buttons} className="actions approval-actions">
            <Button
              kind="primary"
              icon="check"
              {...key('a', hasKeys)}
              isBusy={answer.isPending}
              disabled={!canApprove}
              title={parts.needsReveal ? 'Reveal or acknowledge the hidden parts first' : undefined}
              onClick={(event) => guard.click(event, startApproval)}
            >
              {isGone ? 'Approve for later' : 'Approve'}
              {effect === 'irreversible' ? '…' : ''}
            </Button>
            <Button icon="pencil" {...key('e', hasKeys)} disabled={!canApprove} onClick={() => setOpenForm('edit')}>
              Edit
            </Button>
            <Button
              {...key('r', hasKeys && canRemember)}
              disabled={!canApprove || !canRemember}
              title={
                canRemember ? undefined : 'Calls that may write protected files always ask and cannot be remembered'
              }
              onClick={() => setOpenForm('remember')}
            >
              Remember…
            </Button>
            <Button
              kind="danger"
              className="approval-deny"
              {...key('d', hasKeys)}
              disabled={!guard.isReady}
              onClick={() => setOpenForm('deny')}
            >
              Deny
            </Button>
          </div>
          <AnswerHint text={guard.hint} />
        </>
      ) : undefined}
      {openForm === 'remember' ? (
        <RememberDialog
          approval={approval}
          isGone={isGone}
          isBusy={answer.isPending}
          error={answer.error}
          onClose={() => setOpenForm(undefined)}
          onDone={(scope) => approve({ remember: scope })}
        />
      ) : undefined}
    </section>
  );
}

function key(shortcut: string, isShown: boolean): { readonly shortcut?: string } {
  return isShown ? { shortcut } : {};
}
