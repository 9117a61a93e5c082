import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { Session } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { SessionBadge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { TimeAgo } from '../../components/time.tsx';
import { UnaskedBadge } from './permission-mode-choice.tsx';

const rowHeight = 67;

/** A virtualized list of sessions that scrolls with the page. */
export function SessionList({
  sessions,
  isWhole,
  onEnd,
}: {
  readonly sessions: readonly Session[];
  readonly isWhole: boolean;
  /** Called near the end of the list, to load more. */
  readonly onEnd: (() => void) | undefined;
}): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => sessions[index]?.id ?? index,
  });
  const rows = virtual.getVirtualItems();
  const isAtEnd = onEnd !== undefined && (rows.at(-1)?.index ?? 0) >= sessions.length - 20;
  const more = useEffectEvent(() => onEnd?.());
  useEffect(() => {
    if (isAtEnd) more();
  }, [isAtEnd]);
  return (
    <ul
      ref={list}
      className="session-list card"
      aria-label="Sessions"
      style={{ blockSize: virtual.getTotalSize() + borders }}
    >
      {rows.map(({ index, key, start }) => {
        const session = sessions[index];
        return session === undefined ? undefined : (
          <li
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            style={{ transform: `translateY(${start - top}px)` }}
            aria-posinset={index + 1}
            aria-setsize={isWhole ? sessions.length : -1}
          >
            <SessionRow session={session} />
          </li>
        );
      })}
    </ul>
  );
}

// The borders of the card count toward its size.
const borders = 2;

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const { id, title, state, agent, model, cwd, activeAt, forkedFrom, permissionMode } = session;
  return (
    <Link to={`/sessions/${id}`} className="session-row">
      <span className="session-title">
        {forkedFrom === undefined ? undefined : <Icon name="fork" />}
        <span>{title}</span>
      </span>
      {state === 'idle' || state === 'expired' ? undefined : <SessionBadge state={state} />}
      <span className="session-facts faint">
        <UnaskedBadge mode={permissionMode} />
        <span>{agent === model ? agent : [agent, model].filter((part) => part !== undefined).join(' · ')}</span>
        <span className="session-cwd">{cwd}</span>
      </span>
      <span className="session-time faint">
        <TimeAgo at={activeAt} />
      </span>
    </Link>
  );
}
