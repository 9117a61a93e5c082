import { setTimeout as wait } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { guardedFetch } from './guarded-fetch.ts';

/** Where a server is on the network. */
export interface HttpTransportOptions {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const longestPauseMs = 30_000;
const farewellMs = 500;

/** The SDK's transport for a server on the network, on a `fetch` of our own. */
export function httpTransport(options: HttpTransportOptions, largestMessage: number): Transport {
  const url = webUrl(options.url);
  const { fetch, close } = guardedFetch(url, largestMessage);
  const requestInit = { headers: { ...options.headers } };
  if (options.type === 'sse') return closing(new SSEClientTransport(url, { fetch, requestInit }), close);
  const transport = new StreamableHTTPClientTransport(url, {
    fetch,
    requestInit,
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: longestPauseMs,
      reconnectionDelayGrowFactor: 1.5,
      // The SDK would give up listening after two.
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    reconnectionScheduler: patientScheduler(),
  });
  return closing(transport, close, async () => {
    const ended = transport.terminateSession().catch(() => undefined);
    await Promise.race([ended, wait(farewellMs, undefined, { ref: false })]);
  });
}

/** The transport, which says goodbye before it closes and lets go of its connections after. */
function closing(transport: Transport, release: () => void, farewell?: () => Promise<void>): Transport {
  const close = transport.close.bind(transport);
  let closed: Promise<void> | undefined;
  transport.close = () =>
    (closed ??= (async () => {
      await farewell?.();
      await close();
      release();
    })());
  return transport;
}

function webUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`${JSON.stringify(address)} is not an http or https address`);
  return url;
}

/** A server that ends idle streams would be asked for a new one every second, for ever: each time the pause grows. */
function patientScheduler(): (reconnect: () => void, delay: number) => () => void {
  let pause = 0;
  let last = 0;
  return (reconnect, delay) => {
    pause = Date.now() - last > 2 * longestPauseMs ? delay : Math.min(Math.max(pause * 2, delay), longestPauseMs);
    last = Date.now();
    const timer = setTimeout(reconnect, pause);
    return () => clearTimeout(timer);
  };
}
