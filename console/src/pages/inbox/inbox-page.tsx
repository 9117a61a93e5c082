import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Approval, ElicitationRequired, WaitingCaller } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Badge, EffectBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { ApprovalPrompt } from '../approvals/approval-prompt.tsx';
import { isUnread } from '../approvals/hidden-marks.ts';
import { TourButton } from '../sessions/tour-button.tsx';
import { NotifySwitch } from './notifications.tsx';

/** Everything that waits for a human: the list on one side, the exact call on the other. */
export function InboxPage(): ReactNode {
  const [principal, setPrincipal] = useState<string>();
  const { data: all } = useQuery(queries.waiting());
  const callers = all?.callers ?? [];
  // The filter ends with the last question of its caller.
  const isFiltered = principal !== undefined && callers.some((caller) => caller.principal === principal);
  const listed = useInfiniteQuery(queries.waitingCalls(isFiltered ? principal : undefined));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  const waiting = data?.pages.flatMap(({ items }) => items);
  const total = data?.pages[0]?.total ?? 0;
  const { data: elicitations = [] } = useQuery(queries.elicitations());
  const [chosen, setChosen] = useState({ id: '', at: 0 });
  const found = waiting?.findIndex(({ id }) => id === chosen.id) ?? -1;
  // Where one was answered, the one after it is next.
  const at = found === -1 ? Math.min(chosen.at, (waiting?.length ?? 0) - 1) : found;
  const current = waiting?.[at];
  // Kept while it waits: a new call must not come between reading and answering.
  if (current !== undefined && (current.id !== chosen.id || at !== chosen.at)) setChosen({ id: current.id, at });
  const choose = (index: number): void => setChosen({ id: waiting?.[index]?.id ?? '', at: index });
  const move = (step: number): void => {
    const length = waiting?.length ?? 0;
    if (at + step >= length && hasNextPage) void fetchNextPage();
    choose(Math.min(length - 1, Math.max(0, at + step)));
  };
  useShortcut('j', 'Next', () => move(1), { repeats: true });
  useShortcut('k', 'Previous', () => move(-1), { repeats: true });
  return (
    <div className="page inbox">
      <PageHead title="Inbox" about="Calls and questions that wait for an answer, of every session and MCP client.">
        <NotifySwitch />
      </PageHead>
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      <ServerQuestions items={elicitations} />
      {waiting?.length === 0 && elicitations.length === 0 ? (
        <EmptyState icon="check" title="Nothing waits for you">
          <p>When a call needs an answer it appears here at once.</p>
          <TourButton />
        </EmptyState>
      ) : undefined}
      {waiting === undefined || current === undefined ? undefined : (
        <div className="inbox-split">
          <div className="inbox-list card">
            <Callers callers={callers} chosen={isFiltered ? principal : undefined} onChoose={setPrincipal} />
            <p className="faint inbox-count" role="status">
              {waiting.length === total ? `${total} waiting` : `Newest ${waiting.length} of ${total} waiting`}
            </p>
            <ul aria-label="Waiting calls">
              {waiting.map((approval, index) => (
                <InboxRow
                  key={approval.id}
                  approval={approval}
                  isCurrent={approval.id === current.id}
                  onChoose={() => choose(index)}
                />
              ))}
            </ul>
            {hasNextPage ? (
              <Button className="inbox-more" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show more: {(total - waiting.length).toLocaleString('en')} left
              </Button>
            ) : undefined}
          </div>
          <div className="card inbox-detail">
            <ApprovalPrompt key={current.id} id={current.id} hasKeys />
            <footer className="faint">
              {current.session === undefined ? (
                'From an MCP client or a script'
              ) : (
                <Link to={`/sessions/${current.session}`}>Open the session</Link>
              )}
              {' · asked '}
              <TimeAgo at={current.requestedAt} />
            </footer>
          </div>
        </div>
      )}
    </div>
  );
}

/** Everybody with a waiting call, however many calls of others are in front of it. */
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
      <span>Calls by</span>
      <select value={chosen ?? ''} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">
          all {callers.length} callers ({total})
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

/** Questions of servers, which are answered in their sessions. */
function ServerQuestions({ items }: { readonly items: readonly ElicitationRequired[] }): ReactNode {
  if (items.length === 0) return undefined;
  return (
    <section className="card server-questions" aria-label="Questions of servers">
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

function InboxRow({
  approval,
  isCurrent,
  onChoose,
}: {
  readonly approval: Approval;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}): ReactNode {
  const { tool, effect, principal, requestedAt, caller, hidden } = approval;
  return (
    <li>
      <button type="button" aria-current={isCurrent} onClick={onChoose}>
        <code>{tool}</code>
        <EffectBadge effect={effect} />
        {isUnread(hidden) ? <Badge tone="amber">hidden parts</Badge> : undefined}
        {caller === 'gone' ? <Badge tone="grey">caller gone</Badge> : undefined}
        <span className="faint">
          <PrincipalName of={principal} /> · <TimeAgo at={requestedAt} />
        </span>
      </button>
    </li>
  );
}
