import { SignalboxError } from '../core/errors.ts';
import type { SessionRecord, SessionRecordQuery } from '../journal/store/session-store.ts';
import type { TurnReason } from './events/session-event.ts';
import type { Session, SessionPage, SessionQuery, SessionStatus } from './sessions.ts';

const defaultTitle = 'New session';
const maxDerivedTitleChars = 80;

/** Converts a stored record to the session that users see. */
export function toSession(record: SessionRecord, idleMs: number): Session {
  const { id, agent, runtime, model, title, cwd, permissionMode, owner, forkedFrom, queued, lastSeq, lastTurn } =
    record;
  return {
    id,
    agent,
    runtime,
    ...(model === '' ? {} : { model }),
    title: title === '' ? defaultTitle : title,
    cwd,
    permissionMode,
    state: stateOf(record, idleMs),
    owner,
    createdAt: new Date(record.createdAt).toISOString(),
    activeAt: new Date(record.activeAt).toISOString(),
    ...(forkedFrom === '' ? {} : { forkedFrom }),
    queued,
    lastSeq,
    ...(lastTurn === '' ? {} : { lastTurn: lastTurn as TurnReason }),
  };
}

function stateOf({ turn, queued, activeAt }: SessionRecord, idleMs: number): SessionStatus {
  if (turn !== 'none') return turn;
  if (queued > 0) return 'running';
  return activeAt + idleMs <= Date.now() ? 'expired' : 'idle';
}

/** Derives the title of a session from its first message. */
export function toTitle(message: string): string {
  const line = message.trim().split(/\s*\n/, 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= maxDerivedTitleChars
    ? line
    : `${characters.slice(0, maxDerivedTitleChars - 1).join('')}…`;
}

const defaultPageSize = 50;
const maxPageSize = 500;

/** Returns the store query for a page. It asks for one more record than is shown, to know whether there is another page. */
export function toRecordQuery({ limit = defaultPageSize, after, ...conditions }: SessionQuery): SessionRecordQuery {
  const shown = Math.max(1, Math.min(Math.trunc(limit), maxPageSize));
  return { ...conditions, limit: shown + 1, ...(after === undefined ? {} : { after: parseCursor(after) }) };
}

export function toSessionPage(records: readonly SessionRecord[], limit: number, idleMs: number): SessionPage {
  const shown = records.slice(0, limit - 1);
  const last = shown.at(-1);
  const items = shown.map((record) => toSession(record, idleMs));
  return records.length < limit || last === undefined ? { items } : { items, next: `${last.activeAt}.${last.id}` };
}

function parseCursor(next: string): { readonly activeAt: number; readonly id: string } {
  const [, activeAt, id] = /^(\d{1,15})\.(\w+)$/.exec(next) ?? [];
  if (activeAt === undefined || id === undefined)
    throw new SignalboxError('session-invalid', '"after" must be the "next" of the page before');
  return { activeAt: Number(activeAt), id };
}
