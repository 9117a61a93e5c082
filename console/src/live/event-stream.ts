import { browserKeyHeaders } from '../api/browser-key.ts';
import { reportSignedOut } from '../api/client.ts';
import { streamMessages } from './stream-messages.ts';

/** The connection state of a stream. */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

/** The source and the listeners of a stream. */
export interface StreamOptions {
  /** Returns the URL, to resume after an event id if events were received before. */
  address(after: string | undefined): string;
  /** The names of the events to listen for. */
  readonly events: readonly string[];
  onEvent(name: string, data: unknown): void;
  onState(state: StreamState): void;
  /** The hidden windows that stay connected. */
  readonly whenHidden: 'one' | 'none';
}

const minPauseMs = 400;
const maxPauseMs = 8000;
const pauseWhenHiddenMs = 5000;

/**
 * Follows server-sent events and resumes after a lost connection. A browser allows six connections to a server, shared by all of its
 * windows, so hidden windows release theirs.
 */
export function openStream({ address, events, onEvent, onState, whenHidden }: StreamOptions): () => void {
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: string | undefined;
  let failures = 0;
  let isClosed = false;
  let isPaused = false;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  let releaseLock: (() => void) | undefined;

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
          if (events.includes(event)) notify(event, data);
        }
      }
    } catch {
      // The connection was lost, or `signal` ended it.
    }
    if (!signal.aborted) reconnect();
  };

  /** Calls the listener. A listener that throws does not end the stream. */
  const notify = (event: string, data: string): void => {
    try {
      onEvent(event, JSON.parse(data));
    } catch (error) {
      reportError(error);
    }
  };

  const reconnect = (): void => {
    onState('reconnecting');
    const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    timer = setTimeout(open, pauseMs);
  };

  const pause = (): void => {
    isPaused = true;
    clearTimeout(timer);
    connection?.abort();
  };

  /** Pauses unless this is the first hidden window, which stays connected until it is visible or closed. */
  const pauseUnlessFirst = async (): Promise<void> => {
    await navigator.locks.request('signalbox-hidden-window', { ifAvailable: true }, (lock) => {
      if (isClosed || document.visibilityState === 'visible') return undefined;
      if (lock !== null) return new Promise<void>((resolve) => (releaseLock = resolve));
      return pause();
    });
  };

  const onVisibilityChange = (): void => {
    clearTimeout(hideTimer);
    if (document.visibilityState === 'hidden') {
      const isOne = whenHidden === 'one' && 'locks' in navigator;
      hideTimer = setTimeout(() => (isOne ? void pauseUnlessFirst() : pause()), pauseWhenHiddenMs);
      return;
    }
    releaseLock?.();
    if (!isPaused) return;
    isPaused = false;
    open();
  };

  onState('connecting');
  document.addEventListener('visibilitychange', onVisibilityChange);
  open();
  return () => {
    isClosed = true;
    document.removeEventListener('visibilitychange', onVisibilityChange);
    clearTimeout(hideTimer);
    clearTimeout(timer);
    releaseLock?.();
    connection?.abort();
  };
}
