import type { SessionStore } from '../../journal/store/session-store.ts';
import { toSessionEvent } from './event-log.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionWatchers } from './watchers.ts';

const [smallestPage, largestPage] = [8, 256];
/** Bounds the memory that a slow reader holds. */
const maxPageChars = 64 * 1024;

/** Yields the stored events of a session after a sequence number, reading them page by page. */
export async function* readEvents(
  store: Pick<SessionStore, 'events'>,
  session: string,
  after: number,
): AsyncGenerator<SessionEvent, void, undefined> {
  let size = smallestPage;
  for (let seq = after; ;) {
    const page = await store.events(session, seq, size);
    for (const stored of page) yield toSessionEvent(session, stored);
    if (page.length < size) return;
    seq = page.at(-1)?.seq ?? seq;
    const bytes = page.reduce((sum, { body }) => sum + body.length, 0);
    if (bytes < maxPageChars / 2) size = Math.min(size * 2, largestPage);
    else if (bytes > maxPageChars) size = smallestPage;
  }
}

/** Yields the events of a session after `after`: those in the store, then new ones until the signal is aborted or the session ends. */
export async function* watchEvents(
  store: Pick<SessionStore, 'events'>,
  watchers: SessionWatchers,
  session: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  const watcher = watchers.watch(session, signal);
  let last = after;
  try {
    for await (const _ of watcher.updates) {
      for await (const event of watcher.recentAfter(last) ?? readEvents(store, session, last)) {
        if (signal.aborted) return;
        last = event.seq;
        yield event;
      }
    }
  } finally {
    watcher.stop();
  }
}
