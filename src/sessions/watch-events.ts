import type { SessionStore } from '../journal/session-store.ts';
import { readEvents } from './read-events.ts';
import type { SessionEvent } from './session-event.ts';
import type { Watchers } from './watchers.ts';

/** What happens in a session after `after`, as long as somebody listens: what is there, and then what comes. */
export async function* watchEvents(
  store: Pick<SessionStore, 'events'>,
  watchers: Watchers,
  session: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  const watcher = watchers.enter(session);
  let last = after;
  try {
    while (!signal.aborted) {
      // Looked at before reading: what comes meanwhile is read in the next round.
      const [isOver, version] = [watcher.isOver(), watcher.version()];
      for await (const event of watcher.recentAfter(last) ?? readEvents(store, session, last)) {
        if (signal.aborted) return;
        last = event.seq;
        yield event;
      }
      if (isOver) return;
      await watcher.newsSince(version, signal);
    }
  } finally {
    watcher.leave();
  }
}
