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
  /** Of windows that are not seen, `one` goes on listening, or `none`. */
  readonly whenHidden: 'one' | 'none';
}

const firstPauseMs = 400;
const longestPauseMs = 8000;
const hiddenMs = 5000;

/**
 * Server-sent events that come back by themselves, from where they were cut off. The browser's own way of coming back waits the
 * same time for ever and gives up at the first refusal. A browser has six connections to a server, for all of its windows: those that
 * nobody looks at give theirs back.
 */
export function openStream({ address, events, onEvent, onState, whenHidden }: StreamOptions): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: string | undefined;
  let failures = 0;
  let isClosed = false;
  let isResting = false;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let stopStaying: (() => void) | undefined;

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
    if (isClosed || isResting) return;
    onState('reconnecting');
    // An EventSource does not tell why it was refused.
    const response = await fetch('/api/info').catch(() => undefined);
    if (isClosed || isResting) return;
    if (response?.status === 401) {
      signedOut.dispatchEvent(new Event('signed-out'));
      return;
    }
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    timer = setTimeout(open, pauseMs);
  };

  const rest = (): void => {
    isResting = true;
    clearTimeout(timer);
    source?.close();
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
    source?.close();
  };
}
