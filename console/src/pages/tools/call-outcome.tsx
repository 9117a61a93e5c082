import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { queries } from '../../api/queries.ts';
import type { CallResult } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { OutcomeBadge } from '../../parts/badge.tsx';
import { Changes } from '../../parts/changes.tsx';
import { ContentView } from '../../parts/content-view.tsx';
import { DecisionView } from '../../parts/decision-view.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { duration } from '../../parts/time-ago.tsx';
import { ApprovalPrompt } from '../approvals/approval-prompt.tsx';
import { Undo } from '../sessions/tool-card.tsx';

/** What came of a call that was made by hand. One that waits is answered here, and goes on then. */
export function CallOutcome({
  result,
  onAnswered,
}: {
  readonly result: CallResult;
  readonly onAnswered: () => void;
}): ReactNode {
  const { callId, outcome, content, structuredContent, error, decision, durationMs, changes = [], approvalId } = result;
  // What did not complete often says the same twice: to people and to models.
  const isTold = error !== undefined && content.every((block) => block.type === 'text' && block.text === error.message);
  const waits = outcome === 'awaiting-approval' && approvalId !== undefined;
  return (
    <section className={waits ? 'outcome card waits' : 'outcome card'} aria-label="What came of it">
      <header className="detail-head">
        <OutcomeBadge outcome={outcome} />
        {waits ? undefined : <span className="faint">{duration(durationMs)}</span>}
        {result.cached === true ? <span className="faint">given out before; the tool did not run</span> : undefined}
        <Link to={`/calls/${encodeURIComponent(callId)}`} className="outcome-call">
          The call
        </Link>
      </header>
      {waits ? (
        <Awaited id={approvalId} onAnswered={onAnswered} />
      ) : (
        <>
          {error === undefined ? undefined : (
            <p className="outcome-error">
              {error.message} <code className="faint">{error.code}</code>
            </p>
          )}
          {isTold ? undefined : <ContentView content={content} />}
          {structuredContent === undefined ? undefined : (
            <div className="payload" role="group" aria-label="Structured content" tabIndex={0}>
              <JsonView value={structuredContent} open={3} />
            </div>
          )}
          {decision === undefined ? undefined : <DecisionView decision={decision} />}
          <Changes changes={changes} />
          {outcome === 'completed' && changes.length > 0 ? (
            <footer>
              <Undo callId={callId} isUndone={false} />
            </footer>
          ) : undefined}
        </>
      )}
    </section>
  );
}

/** Asks the human who made the call. A yes or a no is for exactly this call, so it is made again to hear what becomes of it. */
function Awaited({ id, onAnswered }: { readonly id: string; readonly onAnswered: () => void }): ReactNode {
  const { data: approval } = useQuery(queries.approval(id));
  const isTold = useRef(false);
  const answered = useEffectEvent(onAnswered);
  const state = approval?.state;
  useEffect(() => {
    if (isTold.current || (state !== 'approved' && state !== 'denied')) return;
    isTold.current = true;
    answered();
  }, [state]);
  return <ApprovalPrompt id={id} hasKeys isCalledAgain />;
}
