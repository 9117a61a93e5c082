import type { SessionStore } from '../journal/store/session-store.ts';
import { eventOf } from './event-log.ts';
import type { SessionEvent } from './session-event.ts';

const [smallestPage, largestPage] = [8, 256];
/** A page is what somebody who does not read leaves lying with us. */
const mostBytes = 64 * 1024;

/** The events of a session that are there now, page by page. */
export async function* readEvents(
  store: Pick<SessionStore, 'events'>,
  session: string,
  after: number,
): AsyncGenerator<SessionEvent, void, undefined> {
  let size = smallestPage;
  for (let seq = after; ;) {
    const page = await store.events(session, seq, size);
    for (const stored of page) yield eventOf(session, stored);
    if (page.length < size) return;
    seq = page.at(-1)?.seq ?? seq;
    const bytes = page.reduce((sum, { body }) => sum + body.length, 0);
    if (bytes < mostBytes / 2) size = Math.min(size * 2, largestPage);
    else if (bytes > mostBytes) size = smallestPage;
  }
}
