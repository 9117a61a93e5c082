import type { SessionRecord, SessionRecordQuery } from '../journal/store/session-store.ts';
import { SignalboxError } from '../core/errors.ts';
import { toSession } from './session-view.ts';
import type { SessionPage, SessionQuery } from './sessions.ts';

const usualPage = 50;
const largestPage = 500;

/** What to ask the store for a page: one more than is shown, to know whether there are more. */
export function recordQuery({ limit = usualPage, after, ...conditions }: SessionQuery): SessionRecordQuery {
  const shown = Math.max(1, Math.min(Math.trunc(limit), largestPage));
  return { ...conditions, limit: shown + 1, ...(after === undefined ? {} : { after: placeOf(after) }) };
}

export function pageOf(records: readonly SessionRecord[], limit: number, idleMs: number): SessionPage {
  const shown = records.slice(0, limit - 1);
  const last = shown.at(-1);
  const items = shown.map((record) => toSession(record, idleMs));
  return records.length < limit || last === undefined ? { items } : { items, next: `${last.activeAt}.${last.id}` };
}

function placeOf(next: string): { readonly activeAt: number; readonly id: string } {
  const [, activeAt, id] = /^(\d{1,15})\.(\w+)$/.exec(next) ?? [];
  if (activeAt === undefined || id === undefined)
    throw new SignalboxError('session-invalid', '"after" must be the "next" of the page before');
  return { activeAt: Number(activeAt), id };
}
