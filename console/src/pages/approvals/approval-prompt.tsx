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
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { ApprovalArguments, useHiddenParts } from './approval-arguments.tsx';
import { AnsweredNote, CallerGone, HoldsForSession, reportAnswer } from './approval-notes.tsx';
import { ConfirmApproval, DenyForm, Hint } from './answer-forms.tsx';
import { EditArguments } from './edit-arguments.tsx';
import { RememberDialog } from './remember-dialog.tsx';
import { useSettled } from './use-settled.ts';

type Answer =
  | { readonly what: 'approve'; readonly body: ApproveRequest }
  | { readonly what: 'deny'; readonly reason: string };

/** The default rule for undoable calls, which one answer satisfies for the rest of a session. */
const asksOnce = 'default:undoable';

interface PromptProperties {
  readonly hasKeys: boolean;
  /** The name of the tool and its effect stand above it already. */
  readonly inCard?: boolean;
  /** This page makes the call again once it is answered, so that it counts as waiting. */
  readonly isCalledAgain?: boolean;
  /** The reader of this page has answered it. */
  readonly onAnswered?: (id: string) => void;
}

/** One exact call that waits, and every way to answer it. The keys are for the one that is in focus. */
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
  const [doing, setDoing] = useState<'confirm' | 'edit' | 'deny' | 'remember'>();
  const parts = useHiddenParts(approval, useState(false));
  const isGone = approval.caller === 'gone' && !isCalledAgain;
  // Buttons that appear again, do something else than before, or follow what was just revealed are held back as new ones are.
  const settled = useSettled(`${hasKeys} ${isGone} ${parts.revealed !== undefined} ${doing === undefined}`);
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
    onSuccess: (answered) => {
      cache.setQueryData(queries.approval(id).queryKey, answered);
      reportAnswer(tell, answered, isGone);
      onAnswered?.(id);
    },
    onError: (problem) => {
      // Somebody was faster, or it is too late: the question is gone, and that is worth a word.
      if (problem instanceof ProblemError && problem.status === 409) tell.problem(problem);
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const refusal = useRefusal('POST /api/approvals/{id}/approve');
  const isOpen = refusal === undefined && state === 'pending' && !answer.isPending;
  const canApprove = settled.isSettled && !parts.isUnread;
  // Calls on protected files ask each time.
  const canRemember = decision.protectedFiles === undefined;
  // While the arguments are edited, `a` must not approve them as they were.
  const heard = { isOn: hasKeys && isOpen && doing === undefined };
  const approve = (body: ApproveRequest = {}): void =>
    answer.mutate({ what: 'approve', body: parts.isAcknowledged ? { ...body, acknowledgeHidden: true } : body });
  const begin = (): void => (effect === 'irreversible' ? setDoing('confirm') : approve());
  const unlessUnread = (run: () => void): void => settled.answer(() => (parts.isUnread ? undefined : run()));
  useShortcut('a', 'Approve', () => unlessUnread(begin), heard);
  useShortcut('e', 'Edit and approve', () => unlessUnread(() => setDoing('edit')), heard);
  useShortcut('d', 'Deny', () => settled.answer(() => setDoing('deny')), heard);
  useShortcut('r', 'Approve and remember', () => unlessUnread(() => setDoing('remember')), {
    isOn: heard.isOn && canRemember,
  });
  useShortcut('v', 'Reveal hidden parts', () => parts.reveal(), { isOn: heard.isOn && parts.isUnread });
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
          <PrincipalName of={principal} /> asks · expires <TimeAgo at={expiresAt} />
        </span>
      </header>
      <DecisionView decision={decision} />
      {note === undefined ? undefined : <p className="faint">{note}</p>}
      {isGone ? <CallerGone expiresAt={expiresAt} /> : undefined}
      {!isGone && decision.rule === asksOnce && session !== undefined ? <HoldsForSession tool={tool} /> : undefined}
      {flags?.map((flag) => (
        <p key={flag} className="note amber">
          Suspicious: {flag}
        </p>
      ))}
      {doing === 'edit' ? (
        <EditArguments
          value={args}
          isBusy={answer.isPending}
          onCancel={() => setDoing(undefined)}
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
      {doing === 'deny' ? (
        <DenyForm
          isBusy={answer.isPending}
          onCancel={() => setDoing(undefined)}
          onDone={(reason) => answer.mutate({ what: 'deny', reason })}
        />
      ) : undefined}
      {doing === 'confirm' ? (
        <ConfirmApproval
          tool={tool}
          isGone={isGone}
          isBusy={answer.isPending}
          onCancel={() => setDoing(undefined)}
          onDone={() => approve()}
        />
      ) : undefined}
      {refusal !== undefined ? (
        <p className="faint">{refusal}</p>
      ) : doing === undefined || doing === 'remember' ? (
        <>
          <div {...settled.buttons} className="actions approval-actions">
            <Button
              kind="primary"
              icon="check"
              {...key('a', hasKeys)}
              isBusy={answer.isPending}
              disabled={!canApprove}
              title={parts.isUnread ? 'Reveal or acknowledge the hidden parts first' : undefined}
              onClick={(event) => settled.click(event, begin)}
            >
              {isGone ? 'Approve for later' : 'Approve'}
              {effect === 'irreversible' ? '…' : ''}
            </Button>
            <Button icon="pencil" {...key('e', hasKeys)} disabled={!canApprove} onClick={() => setDoing('edit')}>
              Edit
            </Button>
            {canRemember ? (
              <Button {...key('r', hasKeys)} disabled={!canApprove} onClick={() => setDoing('remember')}>
                Remember…
              </Button>
            ) : undefined}
            <Button
              kind="danger"
              className="approval-deny"
              {...key('d', hasKeys)}
              disabled={!settled.isSettled}
              onClick={() => setDoing('deny')}
            >
              Deny
            </Button>
          </div>
          <Hint text={settled.hint} />
        </>
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
