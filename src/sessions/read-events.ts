import type { SessionStore } from '../journal/session-store.ts';
import { eventOf } from './event-log.ts';
import type { SessionEvent } from './session-event.ts';

const pageSize = 200;

/** The events of a session that are there now, page by page. */
export async function* readEvents(
  store: Pick<SessionStore, 'events'>,
  session: string,
  after: number,
): AsyncGenerator<SessionEvent, void, undefined> {
  for (let seq = after; ;) {
    const page = await store.events(session, seq, pageSize);
    for (const stored of page) yield eventOf(session, stored);
    if (page.length < pageSize) return;
    seq = page.at(-1)?.seq ?? seq;
  }
}
