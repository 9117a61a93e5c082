import type { SessionStore } from '../journal/store/session-store.ts';
import { readEvents } from './read-events.ts';
import type { SessionEvent } from './session-event.ts';
import type { Watchers } from './watchers.ts';

/** Yields the events of a session after `after`: those in the store, then new ones until the signal is aborted or the session ends. */
export async function* watchEvents(
  store: Pick<SessionStore, 'events'>,
  watchers: Watchers,
  session: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  const watcher = watchers.enter(session, signal);
  let last = after;
  try {
    for await (const _ of watcher.news) {
      for await (const event of watcher.recentAfter(last) ?? readEvents(store, session, last)) {
        if (signal.aborted) return;
        last = event.seq;
        yield event;
      }
    }
  } finally {
    watcher.leave();
  }
}
