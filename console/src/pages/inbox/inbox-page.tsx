import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Approval, ElicitationRequired, WaitingCaller } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link, navigate, useLocation } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Badge, EffectBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PrincipalName } from '../../components/calls/principal-name.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { escapeInvisible } from '../../components/text/escape-invisible.ts';
import { isAgentSession } from '../../components/calls/session-link.tsx';
import { TimeAgo } from '../../components/time.tsx';
import { ApprovalPrompt } from '../../components/approvals/approval-prompt.tsx';
import { needsReveal } from '../../components/approvals/hidden-marks.ts';
import { TourButton } from '../../components/tour-button.tsx';
import { NotifySwitch } from './notifications.tsx';
import './inbox.css';

/** A row shows the start of the arguments; the card shows all of them. */
const maxSummary = 120;
const address = (id: string): string => (id === '' ? '/inbox' : `/inbox?question=${encodeURIComponent(id)}`);

/** The pending approvals and questions: a list beside the selected call, whose id is in the address. */
export function InboxPage(): ReactNode {
  const [principal, setPrincipal] = useState<string>();
  const { data: all } = useQuery(queries.waiting());
  const callers = all?.callers ?? [];
  // The filter is dropped with the last pending call of its caller.
  const isFiltered = principal !== undefined && callers.some((caller) => caller.principal === principal);
  const listed = useInfiniteQuery(queries.waitingCalls(isFiltered ? principal : undefined));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  // The list may still contain a call that was answered here.
  const [answered, setAnswered] = useState<readonly string[]>([]);
  const waiting = data?.pages.flatMap(({ items }) => items).filter(({ id }) => !answered.includes(id));
  const total = Math.max(data?.pages[0]?.total ?? 0, waiting?.length ?? 0);
  const { data: elicitations = [] } = useQuery(queries.elicitations());
  const { search } = useLocation();
  const named = search.get('question') ?? '';
  const found = waiting?.findIndex(({ id }) => id === named) ?? -1;
  // The position in the list: after an answer, the next call takes it.
  const [at, setAt] = useState(0);
  if (found !== -1 && found !== at) setAt(found);
  const current = named === '' ? (waiting?.[Math.min(at, waiting.length - 1)]?.id ?? '') : named;
  // Pin the selected call in the address, so that no other call replaces it while it is read.
  useEffect(() => {
    if (current !== named) navigate(address(current), { replace: true });
  }, [current, named]);
  const choose = (id: string): void => navigate(address(id), { replace: true });
  const move = (step: number): void => {
    const length = waiting?.length ?? 0;
    // If the selected call left the list, the next one already has its position.
    const next = found === -1 && step > 0 ? at : at + step;
    if (next >= length && hasNextPage) void fetchNextPage();
    choose(waiting?.[Math.min(length - 1, Math.max(0, next))]?.id ?? '');
  };
  useShortcut('j', 'Next', () => move(1), { repeats: true });
  useShortcut('k', 'Previous', () => move(-1), { repeats: true });
  return (
    <div className="page inbox">
      <PageHead title="Inbox" about="Calls and questions waiting for your answer, from every session and MCP client.">
        <NotifySwitch />
      </PageHead>
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      <ServerQuestions items={elicitations} />
      {waiting?.length === 0 && current === '' && elicitations.length === 0 ? (
        <EmptyState icon="check" title="Nothing is waiting for you">
          <p>Calls that need your approval appear here.</p>
          <TourButton />
        </EmptyState>
      ) : undefined}
      {waiting === undefined || current === '' ? undefined : (
        <div className="inbox-split">
          <div className="inbox-list card">
            <Callers
              callers={callers}
              chosen={isFiltered ? principal : undefined}
              onChoose={(chosen) => {
                setPrincipal(chosen);
                setAt(0);
                choose('');
              }}
            />
            <p className="faint inbox-count" role="status">
              {waiting.length === total ? `${total} waiting` : `Newest ${waiting.length} of ${total} waiting`}
            </p>
            <ul aria-label="Waiting calls">
              {waiting.map((approval) => (
                <InboxRow
                  key={approval.id}
                  approval={approval}
                  isCurrent={approval.id === current}
                  onChoose={() => choose(approval.id)}
                />
              ))}
            </ul>
            {hasNextPage ? (
              <Button className="inbox-more" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show more ({(total - waiting.length).toLocaleString('en')} left)
              </Button>
            ) : undefined}
          </div>
          <Detail
            key={current}
            id={current}
            hasOthers={waiting.some(({ id }) => id !== current)}
            onNext={() => choose('')}
            onAnswered={(id) => {
              setAnswered((before) => [...before, id]);
              choose('');
            }}
          />
        </div>
      )}
    </div>
  );
}

/** The selected call. If it is answered by another client, it shows by whom and stays until the user moves on. */
function Detail({
  id,
  hasOthers,
  onNext,
  onAnswered,
}: {
  readonly id: string;
  readonly hasOthers: boolean;
  readonly onNext: () => void;
  readonly onAnswered: (id: string) => void;
}): ReactNode {
  const { data: approval } = useQuery(queries.approval(id));
  return (
    <div className="card inbox-detail">
      <ApprovalPrompt id={id} hasKeys onAnswered={onAnswered} />
      {approval?.state === 'pending' ? undefined : (
        <div className="actions approval-actions">
          <Button onClick={onNext}>{hasOthers ? 'Next call' : 'Close'}</Button>
        </div>
      )}
      {approval === undefined ? undefined : (
        <footer className="faint">
          {approval.session === undefined || !isAgentSession(approval.session) ? (
            'From an MCP client or a script'
          ) : (
            <Link to={`/sessions/${approval.session}`}>View session</Link>
          )}
          {' · requested '}
          <TimeAgo at={approval.requestedAt} />
        </footer>
      )}
    </div>
  );
}

/** A filter by caller. It lists every caller with a pending call, also of pages that are not loaded yet. */
function Callers({
  callers,
  chosen,
  onChoose,
}: {
  readonly callers: readonly WaitingCaller[];
  readonly chosen: string | undefined;
  readonly onChoose: (principal: string | undefined) => void;
}): ReactNode {
  if (callers.length < 2) return undefined;
  const total = callers.reduce((sum, { pending }) => sum + pending, 0);
  return (
    <label className="field inbox-callers">
      <span>Caller</span>
      <select value={chosen ?? ''} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">
          All {callers.length} callers ({total})
        </option>
        {callers.map(({ principal, pending }) => (
          <option key={principal} value={principal}>
            {principal} ({pending})
          </option>
        ))}
      </select>
    </label>
  );
}

/** Links to pending questions of servers, which are answered in their sessions. */
function ServerQuestions({ items }: { readonly items: readonly ElicitationRequired[] }): ReactNode {
  if (items.length === 0) return undefined;
  return (
    <section className="card server-questions" aria-label="Questions from servers">
      <ul>
        {items.map(({ elicitationId, server, message, sessionId, at }) => (
          <li key={elicitationId}>
            <Link to={`/sessions/${sessionId}`}>
              {server} asks: {message}
            </Link>{' '}
            <TimeAgo at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function summaryOf(args: Approval['arguments']): string {
  let text = '';
  for (const [name, value] of Object.entries(args)) {
    if (text.length > maxSummary) break;
    const shown = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, maxSummary);
    text += `${text === '' ? '' : ' · '}${name}: ${shown}`;
  }
  return escapeInvisible(text.slice(0, maxSummary).replaceAll(/\s*\n\s*/g, ' ⏎ '));
}

function InboxRow({
  approval,
  isCurrent,
  onChoose,
}: {
  readonly approval: Approval;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}): ReactNode {
  const { tool, effect, principal, requestedAt, caller, hidden, arguments: args } = approval;
  const summary = useMemo(() => summaryOf(args), [args]);
  return (
    <li>
      <button type="button" aria-current={isCurrent} onClick={onChoose}>
        <code>{tool}</code>
        <EffectBadge effect={effect} />
        {needsReveal(hidden) ? <Badge tone="amber">hidden parts</Badge> : undefined}
        {caller === 'gone' ? <Badge tone="gray">caller gone</Badge> : undefined}
        <code className="inbox-summary">{summary}</code>
        <span className="faint">
          <PrincipalName of={principal} /> · <TimeAgo at={requestedAt} />
        </span>
      </button>
    </li>
  );
}
