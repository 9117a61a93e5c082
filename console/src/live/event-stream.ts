import { browserKeyHeaders } from '../api/browser-key.ts';
import { reportSignedOut } from '../api/client.ts';
import { streamMessages } from './stream-messages.ts';

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
  /** Of windows that are not seen, `one` goes on listening, or `none`. */
  readonly whenHidden: 'one' | 'none';
}

const firstPauseMs = 400;
const longestPauseMs = 8000;
const hiddenMs = 5000;

/**
 * Follows server-sent events, and reconnects from where it was cut off. A browser has six connections to a server, for all of its
 * windows: hidden windows give theirs back.
 */
export function openStream({ address, events, onEvent, onState, whenHidden }: StreamOptions): () => void {
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: string | undefined;
  let failures = 0;
  let isClosed = false;
  let isResting = false;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let stopStaying: (() => void) | undefined;

  const open = (): void => {
    connection = new AbortController();
    void follow(connection.signal);
  };

  const follow = async (signal: AbortSignal): Promise<void> => {
    try {
      const headers = { ...browserKeyHeaders(), Accept: 'text/event-stream' };
      const response = await fetch(address(last), { headers, cache: 'no-store', signal });
      if (response.status === 401) {
        await reportSignedOut(response);
        return;
      }
      if (response.ok && response.body !== null) {
        failures = 0;
        onState('live');
        for await (const { event, data, lastId } of streamMessages(response.body)) {
          if (signal.aborted) return;
          last = lastId ?? last;
          if (events.includes(event)) hear(event, data);
        }
      }
    } catch {
      // The connection was lost, or `signal` ended it.
    }
    if (!signal.aborted) reconnect();
  };

  /** A listener that throws must not cut the stream off. */
  const hear = (event: string, data: string): void => {
    try {
      onEvent(event, JSON.parse(data));
    } catch (error) {
      reportError(error);
    }
  };

  const reconnect = (): void => {
    onState('reconnecting');
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    timer = setTimeout(open, pauseMs);
  };

  const rest = (): void => {
    isResting = true;
    clearTimeout(timer);
    connection?.abort();
  };

  /** The first hidden window that asks goes on, until it is seen or closed. */
  const restUnlessFirst = async (): Promise<void> => {
    await navigator.locks.request('signalbox-hidden-window', { ifAvailable: true }, (lock) => {
      if (isClosed || document.visibilityState === 'visible') return undefined;
      if (lock !== null) return new Promise<void>((resolve) => (stopStaying = resolve));
      return rest();
    });
  };

  const look = (): void => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden') {
      const isOne = whenHidden === 'one' && 'locks' in navigator;
      hiding = setTimeout(() => (isOne ? void restUnlessFirst() : rest()), hiddenMs);
      return;
    }
    stopStaying?.();
    if (!isResting) return;
    isResting = false;
    open();
  };

  onState('connecting');
  document.addEventListener('visibilitychange', look);
  open();
  return () => {
    isClosed = true;
    document.removeEventListener('visibilitychange', look);
    clearTimeout(hiding);
    clearTimeout(timer);
    stopStaying?.();
    connection?.abort();
  };
}
