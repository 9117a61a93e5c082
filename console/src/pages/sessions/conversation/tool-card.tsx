import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, memo } from 'react';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Link } from '../../../app/router.tsx';
import { useToaster } from '../../../app/toasts.tsx';
import { Badge, EffectBadge, OutcomeBadge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { FileChanges } from '../../../components/calls/file-changes.tsx';
import { ContentView } from '../../../components/calls/content-view.tsx';
import { Icon } from '../../../components/icon.tsx';
import { JsonView } from '../../../components/text/json-view.tsx';
import { escapeInvisible } from '../../../components/text/escape-invisible.ts';
import { formatDuration } from '../../../components/time.tsx';
import { AnsweredApproval } from '../../../components/approvals/answered-approval.tsx';
import { ApprovalPrompt } from '../../../components/approvals/approval-prompt.tsx';
import { ElicitationCard } from './elicitation-card.tsx';
import { QuestionForm } from './question-form.tsx';
import type { AskedApproval, AskedElicitation, ShownCall } from './session-view.ts';

/** A tool call in the transcript: arguments, approvals, result, changes and undo. */
export const ToolCard = memo(function ToolCard({
  call,
  session,
  isOver,
  asking,
  undone,
}: {
  readonly call: ShownCall;
  readonly session: string;
  /** Whether the turn is over: a call without a result will not get one. */
  readonly isOver: boolean;
  /** The id of the approval that receives the keyboard shortcuts. */
  readonly asking: string | undefined;
  readonly undone: readonly string[] | undefined;
}): ReactNode {
  const { start, input, inputJson, progress, approvals, prompt, answeredBy, elicitations, samples, result } = call;
  const open = approvals.find(({ resolved }) => resolved === undefined);
  const isOpen = result === undefined && !isOver;
  const isWaiting = open !== undefined && isOpen;
  const hasElicitation = isOpen && elicitations.some(({ resolved }) => resolved === undefined);
  const needsUser = isWaiting || hasElicitation;
  return (
    <section className={needsUser ? 'tool-card card waits' : 'tool-card card'} aria-label={`Call of ${start.tool}`}>
      <header>
        <Icon name={prompt === undefined ? 'tools' : 'question'} />
        <h2>
          {start.tool} <span className="faint">{start.server}</span>
        </h2>
        <Effect tool={start.toolName} />
        <span className="tool-end">
          {isOpen ? (
            <Badge tone={needsUser ? 'amber' : 'blue'}>{needsUser ? 'waiting for you' : 'running'}</Badge>
          ) : result === undefined ? (
            <Badge tone="gray">interrupted</Badge>
          ) : (
            <>
              <span className="faint">{formatDuration(result.durationMs)}</span>
              <OutcomeBadge outcome={result.outcome} />
            </>
          )}
        </span>
      </header>
      {isWaiting ? undefined : (
        <details className="fold" open={result === undefined && prompt === undefined && elicitations.length === 0}>
          <summary>Arguments</summary>
          {input === undefined ? <pre className="faint">{inputJson}</pre> : <JsonView value={input} open={3} />}
        </details>
      )}
      {progress === undefined || !isOpen ? undefined : (
        <p className="faint" role="status">
          {progress.message ?? 'Progress'} · {progress.progress}
          {progress.total === undefined ? '' : ` of ${progress.total}`}
        </p>
      )}
      {prompt === undefined || !isOpen || answeredBy !== undefined ? undefined : (
        <QuestionForm session={session} toolCallId={start.toolCallId} questions={prompt.questions} />
      )}
      {isWaiting ? (
        <ApprovalPrompt id={open.asked.approvalId} hasKeys={asking === open.asked.approvalId} inCard />
      ) : undefined}
      {approvals.map(({ asked, resolved }) =>
        resolved === undefined ? undefined : (
          <AnsweredApproval key={asked.approvalId} id={asked.approvalId}>
            {resolutionWords(resolved)}
          </AnsweredApproval>
        ),
      )}
      {elicitations.map(({ asked, resolved }) =>
        resolved === undefined && isOpen ? (
          <ElicitationCard key={asked.elicitationId} session={session} asked={asked} />
        ) : (
          <p key={asked.elicitationId} className="faint">
            {asked.server} asked: {escapeInvisible(asked.message)}{' '}
            {resolved === undefined ? 'No answer.' : answerWords(resolved)}
          </p>
        ),
      )}
      {samples.map((sample) => (
        <details key={sample.seq} className="fold">
          <summary>
            {sample.error === undefined ? `${sample.model} answered ${sample.server}` : 'The model failed'}
          </summary>
          {sample.error === undefined ? <JsonView value={sample.content} open={3} /> : <p>{sample.error}</p>}
        </details>
      ))}
      {result === undefined ? undefined : (
        <>
          <details
            className="fold"
            open={result.outcome !== 'completed' || result.changes === undefined || result.changes.length === 0}
          >
            <summary>Result</summary>
            <ContentView content={result.content} />
          </details>
          <FileChanges changes={result.changes ?? []} />
          {result.callId === undefined ? undefined : (
            <footer>
              {result.outcome === 'completed' && (result.changes?.length ?? 0) > 0 ? (
                <UndoButton callId={result.callId} isUndone={undone?.includes(result.callId) ?? false} />
              ) : undefined}
              <code className="faint">
                <Link to={`/calls/${result.callId}`}>{result.callId}</Link>
              </code>
            </footer>
          )}
        </>
      )}
    </section>
  );
});

function resolutionWords({ decision, by, reason }: NonNullable<AskedApproval['resolved']>): string {
  if (decision !== 'expired') return `${decision} by ${by}`;
  return reason === undefined ? 'No answer in time' : `Interrupted: ${reason}`;
}

function answerWords({ action, by, reason }: NonNullable<AskedElicitation['resolved']>): string {
  if (reason !== undefined) return `Cancelled: ${reason}.`;
  return { accept: 'Answered', decline: 'Declined', cancel: 'Dismissed' }[action] + ` by ${by}.`;
}

function Effect({ tool }: { readonly tool: string }): ReactNode {
  const { data } = useQuery(queries.tools());
  const effect = data?.items.find(({ name }) => name === tool)?.effect;
  return effect === undefined ? undefined : <EffectBadge effect={effect} />;
}

/** Undoes a call. */
export function UndoButton({ callId, isUndone }: { readonly callId: string; readonly isUndone: boolean }): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const undo = useMutation({
    mutationFn: () => api('POST /api/calls/{id}/undo', { path: { id: callId }, body: {} }),
    onSuccess: ({ outcome, error }) => {
      if (outcome === 'undone') toaster.success('Call undone');
      else toaster.error(new Error(error ?? 'Not everything could be undone'));
    },
    onError: (error) => toaster.error(error),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['calls'] }),
  });
  if (isUndone || undo.data?.outcome === 'undone') return <Badge tone="gray">undone</Badge>;
  return (
    <Button operation="POST /api/calls/{id}/undo" icon="undo" isBusy={undo.isPending} onClick={() => undo.mutate()}>
      Undo
    </Button>
  );
}
