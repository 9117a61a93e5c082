import { setTimeout as wait } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { DirectCalls } from './direct-calls.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { authorizedFetch } from './oauth/authorized-fetch.ts';
import type { OAuthOptions } from './oauth/oauth-options.ts';
import { longestPauseMs, patientScheduler } from './patient-scheduler.ts';
import { sendBySdk } from './send-by-sdk.ts';

/** Where a server is on the network. */
export interface HttpTransportOptions {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a server that is protected with OAuth; see `signIn`. */
  readonly oauth?: OAuthOptions;
}

/** A transport, and why the server was not asked, if it was not for want of a token. */
export interface HttpTransport {
  readonly transport: Transport;
  refusal(): Error | undefined;
}

const farewellMs = 500;

/** The SDK's transport for a server on the network, on a `fetch` of our own. */
export function httpTransport(options: HttpTransportOptions, largestMessage: number): HttpTransport {
  const url = webUrl(options.url);
  const guarded = guardedFetch(url, largestMessage);
  const { oauth } = options;
  const { fetch, refusal } =
    oauth === undefined
      ? { fetch: guarded.fetch, refusal: () => undefined }
      : authorizedFetch({ ...options, oauth }, guarded.fetch);
  const requestInit = { headers: { ...options.headers } };
  if (options.type === 'sse')
    return { transport: closing(new SSEClientTransport(url, { fetch, requestInit }), guarded.close), refusal };
  // Tokens of OAuth may be renewed for each request, which is the SDK's business.
  const direct =
    oauth === undefined ? new DirectCalls({ url, headers: options.headers ?? {}, guarded, largestMessage }) : undefined;
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: direct?.fetch ?? fetch,
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
  if (direct === undefined) transport.send = sendBySdk(transport);
  else direct.attach(transport);
  const farewell = async (): Promise<void> => {
    const ended = transport.terminateSession().catch(() => undefined);
    await Promise.race([ended, wait(farewellMs, undefined, { ref: false })]);
  };
  return { transport: closing(transport, guarded.close, farewell), refusal };
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
