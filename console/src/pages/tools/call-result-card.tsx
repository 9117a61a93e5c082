import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { queries } from '../../api/queries.ts';
import type { CallResult } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { OutcomeBadge } from '../../components/badge.tsx';
import { FileChanges } from '../../components/calls/file-changes.tsx';
import { ContentView } from '../../components/calls/content-view.tsx';
import { DecisionView } from '../../components/calls/decision-view.tsx';
import { JsonView } from '../../components/text/json-view.tsx';
import { formatDuration } from '../../components/time.tsx';
import { ApprovalPrompt } from '../../components/approvals/approval-prompt.tsx';
import { UndoButton } from '../sessions/conversation/tool-card.tsx';

/** The result of a call from the console. A pending approval is answered in place, and the call then continues. */
export function CallResultCard({
  result,
  onAnswered,
}: {
  readonly result: CallResult;
  readonly onAnswered: () => void;
}): ReactNode {
  const { callId, outcome, content, structuredContent, error, decision, durationMs, changes = [], approvalId } = result;
  // The error message often repeats the content, which is written for models.
  const isRepeated =
    error !== undefined && content.every((block) => block.type === 'text' && block.text === error.message);
  const isWaiting = outcome === 'awaiting-approval' && approvalId !== undefined;
  return (
    <section className={isWaiting ? 'outcome card waits' : 'outcome card'} aria-label="Result">
      <header className="detail-head">
        <OutcomeBadge outcome={outcome} />
        {isWaiting ? undefined : <span className="faint">{formatDuration(durationMs)}</span>}
        {result.cached === true ? <span className="faint">cached; the tool did not run</span> : undefined}
        <Link to={`/calls/${encodeURIComponent(callId)}`} className="outcome-call">
          View call
        </Link>
      </header>
      {isWaiting ? (
        <PendingApproval id={approvalId} onAnswered={onAnswered} />
      ) : (
        <>
          {error === undefined ? undefined : (
            <p className="outcome-error">
              {error.message} <code className="faint">{error.code}</code>
            </p>
          )}
          {isRepeated ? undefined : <ContentView content={content} />}
          {structuredContent === undefined ? undefined : (
            <div className="payload" role="group" aria-label="Structured content" tabIndex={0}>
              <JsonView value={structuredContent} open={3} />
            </div>
          )}
          {decision === undefined ? undefined : <DecisionView decision={decision} />}
          <FileChanges changes={changes} />
          {outcome === 'completed' && changes.length > 0 ? (
            <footer>
              <UndoButton callId={callId} isUndone={false} />
            </footer>
          ) : undefined}
        </>
      )}
    </section>
  );
}

/** Shows the approval of the call. After the answer, which holds for exactly this call, the call is repeated for its result. */
function PendingApproval({ id, onAnswered }: { readonly id: string; readonly onAnswered: () => void }): ReactNode {
  const { data: approval } = useQuery(queries.approval(id));
  const isRepeated = useRef(false);
  const answered = useEffectEvent(onAnswered);
  const state = approval?.state;
  useEffect(() => {
    if (isRepeated.current || (state !== 'approved' && state !== 'denied')) return;
    isRepeated.current = true;
    answered();
  }, [state]);
  return <ApprovalPrompt id={id} hasKeys isCalledAgain />;
}
