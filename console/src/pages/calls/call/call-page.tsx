import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../../api/queries.ts';
import type { CallDetails, EndedCallDetails } from '../../../api/schema.ts';
import { PageHead } from '../../../app/page-head.tsx';
import { Link } from '../../../app/router.tsx';
import { useLiveEvents } from '../../../live/live-events.tsx';
import { EffectBadge } from '../../../components/badge.tsx';
import { FileChanges } from '../../../components/calls/file-changes.tsx';
import { DecisionView } from '../../../components/calls/decision-view.tsx';
import { JsonView } from '../../../components/text/json-view.tsx';
import { formatDuration, formatTimestamp } from '../../../components/time.tsx';
import { principalName } from '../../../components/calls/principal-name.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { CallApproval } from './call-approval.tsx';
import { SessionLink } from '../../../components/calls/session-link.tsx';
import { CallHistory } from './call-history.tsx';
import { RecordedResult } from './recorded-result.tsx';
import { CallOutcomeBadge } from '../table/call-table.tsx';
import { CallUndo } from './call-undo.tsx';
import { callsUrl } from '../call-filters.ts';
import { SettleCall } from './settle-call.tsx';

/** The page of one call. */
export function CallPage({ id }: { readonly id: string }): ReactNode {
  const cache = useQueryClient();
  const { data: call, error, refetch } = useQuery(queries.call(id));
  useLiveEvents(({ kind, event }) => {
    if (kind === 'journal' && 'callId' in event && event.callId === id)
      void cache.invalidateQueries({ queryKey: queries.call(id).queryKey });
  });
  return (
    <div className="page call">
      <nav aria-label="Breadcrumb">
        <Link to="/calls">Calls</Link>
      </nav>
      {error === null ? undefined : (
        <>
          <PageHead title="Call" about={id} />
          <ProblemNote error={error} onRetry={() => void refetch()} />
        </>
      )}
      {call === undefined ? undefined : <Details call={call} />}
    </div>
  );
}

function Details({ call }: { readonly call: CallDetails }): ReactNode {
  const { tool, decision, approval } = call;
  const hasRun = call.type !== 'ToolInvoked' || call.ran;
  const changes = call.type === 'ToolInvoked' ? (call.changes ?? []) : [];
  return (
    <>
      <PageHead title={tool} about={<code>{call.callId}</code>}>
        {call.effect === undefined ? undefined : <EffectBadge effect={call.effect} />}
        <CallOutcomeBadge call={call} />
      </PageHead>
      {call.type === 'ToolInvoked' && call.error !== undefined ? (
        <div className="note red">
          <div className="note-text">
            <p>{call.error.message}</p>
            <code>{call.error.code}</code>
          </div>
        </div>
      ) : undefined}
      {hasRun ? undefined : (
        <div className="note amber">
          <div className="note-text">
            <p>The tool did not run.</p>
          </div>
        </div>
      )}
      <div className="call-parts">
        <Part title="Why">
          {decision === undefined ? (
            <p className="faint">The call ended before a policy decision.</p>
          ) : (
            <DecisionView decision={decision} isOpen />
          )}
          {approval === undefined ? undefined : <CallApproval approval={approval} callId={call.callId} />}
        </Part>
        <Part title="Facts">
          <Facts call={call} />
        </Part>
        <Part title="Arguments">
          <div className="payload" role="group" aria-label="Arguments" tabIndex={0}>
            <JsonView value={call.arguments} open={3} />
          </div>
        </Part>
        {call.givenArguments === undefined ? undefined : (
          <Part title="Original arguments">
            <div className="payload" role="group" aria-label="Original arguments" tabIndex={0}>
              <JsonView value={call.givenArguments} open={3} />
            </div>
          </Part>
        )}
        {call.type === 'ToolInvoked' && (call.output !== call.error?.message || call.result !== undefined) ? (
          <Part title="Result">
            <RecordedResult call={call} />
          </Part>
        ) : undefined}
        {call.type === 'ToolInvoked' && call.outcome === 'unknown' ? (
          <Part title="Outcome unknown">
            <SettleCall call={call} />
          </Part>
        ) : undefined}
        {!hasRun || (call.effect === 'read' && changes.length === 0) ? undefined : (
          <Part title="Changes">
            <FileChanges changes={changes} />
            {call.type === 'ToolInvoked' && call.changesTotal !== undefined ? (
              <p className="faint">
                Showing {changes.length} of {call.changesTotal} changes
              </p>
            ) : undefined}
            <CallUndo call={call} />
          </Part>
        )}
        <Part title="Record">
          <CallHistory entries={call.history} />
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className="card call-part" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Facts({ call }: { readonly call: CallDetails }): ReactNode {
  const { at, sessionId, principal, server, adapter, labels, idempotencyKey, observed, replaces } = call;
  const ended = call.type === 'ToolInvoked' ? call : undefined;
  return (
    <dl className="facts">
      <Fact name="Recorded">{formatTimestamp(at)}</Fact>
      <Fact name="Duration">{ended === undefined ? undefined : durationOf(ended)}</Fact>
      <Fact name="Attempts">{ended?.attempts}</Fact>
      <Fact name="Cost">{ended?.costUsd === undefined ? undefined : `$${ended.costUsd}`}</Fact>
      <Fact name="Cached">{ended?.cached === true ? 'yes, the tool did not run' : undefined}</Fact>
      <Fact name="Principal">{`${principalName(principal)} (${principal.name === undefined ? principal.kind : `${principal.kind}, ${principal.id}`})`}</Fact>
      <Fact name="Server">{server === undefined ? undefined : <Link to={callsUrl({ server })}>{server}</Link>}</Fact>
      <Fact name="Adapter">{adapter}</Fact>
      <Fact name="Session">
        {sessionId === undefined ? undefined : (
          <>
            <SessionLink id={sessionId} /> · <Link to={callsUrl({ session: sessionId }, 'timeline')}>timeline</Link> ·{' '}
            <Link to={callsUrl({ session: sessionId }, 'replay')}>replay</Link>
          </>
        )}
      </Fact>
      <Fact name="Labels">{labels?.join(', ')}</Fact>
      <Fact name="Idempotency key">{idempotencyKey}</Fact>
      <Fact name="Observed">{observed === true ? 'ran outside Signalbox' : undefined}</Fact>
      <Fact name="Replaces">
        {replaces === undefined ? undefined : <Link to={`/calls/${replaces}`}>{replaces}</Link>}
      </Fact>
    </dl>
  );
}

/** Returns the duration of a call, with the time that it waited for an approval. */
function durationOf({ durationMs, waitedMs, ran }: EndedCallDetails): string | undefined {
  if (durationMs === null) return undefined;
  if (waitedMs === undefined) return formatDuration(durationMs);
  const rest = ran ? `ran ${formatDuration(durationMs - waitedMs)}` : 'did not run';
  return `${formatDuration(durationMs)}: waited ${formatDuration(waitedMs)} for approval, ${rest}`;
}

/** A labeled value. Renders nothing without a value. */
function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  if (children === undefined || children === '') return undefined;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
