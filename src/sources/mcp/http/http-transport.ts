import { SSEClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { ChannelTransport } from '../connection/rpc-channel.ts';
import { createGuardedFetch } from './client/guarded-fetch.ts';
import { BearerAuthorization, authorizedFetch } from './oauth/bearer-authorization.ts';
import type { OAuthOptions } from './oauth/oauth-options.ts';
import { StreamableHttpTransport } from './streamable-http-transport.ts';

/** The URL of a server on the network and how to authenticate there. */
export interface HttpTransportOptions {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** OAuth options; see `signIn`. */
  readonly oauth?: OAuthOptions;
}

/** A transport; `refusal` returns why requests were refused, when a token is missing or insufficient. */
export interface HttpTransport {
  readonly transport: ChannelTransport;
  refusal(): Error | undefined;
}

/** Creates the transport for a server on the network. */
export function createHttpTransport(options: HttpTransportOptions, maxMessageBytes: number): HttpTransport {
  const url = webUrl(options.url);
  const { type, oauth, headers = {} } = options;
  const authorization = oauth === undefined ? undefined : new BearerAuthorization({ ...options, oauth });
  const refusal = (): Error | undefined => authorization?.refusal;
  if (type === 'http')
    return {
      transport: new StreamableHttpTransport({ url, headers, maxMessageBytes, authorization }),
      refusal,
    };
  const guarded = createGuardedFetch(url, maxMessageBytes);
  const fetch = authorization === undefined ? guarded.fetch : authorizedFetch(url, authorization, guarded.fetch);
  return {
    transport: closing(new SSEClientTransport(url, { fetch, requestInit: { headers } }), guarded.close),
    refusal,
  };
}

/** Makes the transport close the connections of its `fetch`. */
function closing(transport: Transport, release: () => void): ChannelTransport {
  const close = transport.close.bind(transport);
  let closed: Promise<void> | undefined;
  transport.close = () => (closed ??= close().then(release));
  return transport;
}

function webUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`${JSON.stringify(address)} is not an http or https address`);
  return url;
}
