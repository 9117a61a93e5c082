import { signedOut } from '../api/client.ts';

/** How a stream is doing. */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

/** What to listen to, and whom to tell. */
export interface StreamOptions {
  /** The address, with the place to go on from when something was heard already. */
  address(after: string | undefined): string;
  /** The names of the events. */
  readonly events: readonly string[];
  onEvent(name: string, data: unknown): void;
  onState(state: StreamState): void;
}

const firstPauseMs = 400;
const longestPauseMs = 8000;

/**
 * Server-sent events that come back by themselves, from where they were cut off. The browser's own way of coming back waits the
 * same time for ever and gives up at the first refusal.
 */
export function openStream({ address, events, onEvent, onState }: StreamOptions): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: string | undefined;
  let failures = 0;
  let isClosed = false;

  const open = (): void => {
    source = new EventSource(address(last));
    source.addEventListener('open', () => {
      failures = 0;
      onState('live');
    });
    source.addEventListener('error', (event) => {
      // The server has events of that name too; the connection's own has no data.
      if (!(event instanceof MessageEvent)) void comeBack();
    });
    for (const name of events)
      source.addEventListener(name, (event: Event) => {
        if (!(event instanceof MessageEvent)) return;
        if (event.lastEventId !== '') last = event.lastEventId;
        onEvent(name, JSON.parse(event.data as string));
      });
  };

  const comeBack = async (): Promise<void> => {
    source?.close();
    if (isClosed) return;
    onState('reconnecting');
    // An EventSource does not tell why it was refused.
    const response = await fetch('/api/info').catch(() => undefined);
    if (isClosed) return;
    if (response?.status === 401) {
      signedOut.dispatchEvent(new Event('signed-out'));
      return;
    }
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    timer = setTimeout(open, pauseMs);
  };

  onState('connecting');
  open();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    source?.close();
  };
}
