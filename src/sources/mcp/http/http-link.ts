import { SSEClientTransport, SdkError, SdkErrorCode, SseError, type Transport } from '@modelcontextprotocol/client';
import { messageOf } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { HttpTransportOptions } from '../connection/mcp-transport.ts';
import { type ChannelTransport, RpcChannel } from '../connection/rpc-channel.ts';
import { createSdkClient } from '../connection/sdk-client.ts';
import type { InitializeResult, ConnectionOptions, ServerLink } from '../connection/server-link.ts';
import { createGuardedFetch } from './client/guarded-fetch.ts';
import { httpStatusOf, isFinalHttpError, toHttpRequestError } from './http-errors.ts';
import { BearerAuthorization, authorizedFetch } from './oauth/bearer-authorization.ts';
import { StreamableHttpTransport } from './streamable-http-transport.ts';

const maxQuotedLength = 200;

/** The explanation of a system error, by code. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start the server, or correct its url',
  ENOTFOUND: 'this host is unknown; correct its url, or check your network',
  EAI_AGAIN: 'its name cannot be resolved now; check your network',
  EHOSTUNREACH: 'there is no route to this host; check your network',
  ENETUNREACH: 'there is no route to this host; check your network',
  ECONNRESET: 'it closed the connection; check that it serves MCP over HTTP at this url',
  UND_ERR_SOCKET: 'it closed the connection; check that it serves MCP over HTTP at this url',
  UND_ERR_CONNECT_TIMEOUT: 'it did not respond; check your network, or try again',
  ETIMEDOUT: 'it did not respond; check your network, or try again',
};

/** Creates the link to a server on the network. The SDK's client negotiates the protocol version. */
export function createHttpLink(options: ConnectionOptions, transport: HttpTransportOptions): ServerLink {
  const { transport: http, authorization } = createHttpTransport(transport, options.maxMessageBytes);
  const channel = new RpcChannel(http, () => 'the connection was closed', toHttpRequestError);
  const client = createSdkClient(options);
  return {
    channel,
    async initialize(known): Promise<InitializeResult> {
      await client.connect(channel, omitUndefined({ timeout: options.timeoutMs, prior: await known() }));
      return omitUndefined({
        isModern: client.getProtocolEra() === 'modern',
        protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
        capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
        serverInfo: client.getServerVersion() as JsonObject | undefined,
        instructions: client.getInstructions(),
        discovered: client.getDiscoverResult(),
      });
    },
    client: () => Promise.resolve(client),
    reason: () => undefined,
    refusal: () => authorization?.refusal,
    explain: (error) =>
      error instanceof SdkError || error instanceof SseError || isNetworkError(error)
        ? explainHttpError(error, transport.url)
        : error,
    isFinal: isFinalHttpError,
    // The SDK would open a new stream, which belongs to a session without a handshake.
    isBroken: (error) => error instanceof SseError,
  };
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || httpStatusOf(error) !== undefined);
}

/** Creates the transport for a server on the network. */
export function createHttpTransport(
  options: HttpTransportOptions,
  maxMessageBytes: number,
): { readonly transport: ChannelTransport; readonly authorization: BearerAuthorization | undefined } {
  const url = webUrl(options.url);
  const { type, oauth, headers = {} } = options;
  const authorization = oauth === undefined ? undefined : new BearerAuthorization({ ...options, oauth });
  if (type === 'http')
    return { transport: new StreamableHttpTransport({ url, headers, maxMessageBytes, authorization }), authorization };
  const guarded = createGuardedFetch(url, maxMessageBytes);
  const fetch = authorization === undefined ? guarded.fetch : authorizedFetch(url, authorization, guarded.fetch);
  const sse = new SSEClientTransport(url, { fetch, requestInit: { headers } });
  return { transport: closing(sse, guarded.close), authorization };
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
    throw new Error(`${JSON.stringify(address)} is not an http or https URL`);
  return url;
}

/** Converts a connection error to one that says what was tried, what failed and what to do next. */
function explainHttpError(error: unknown, url: string): Error {
  const where = URL.canParse(url) ? new URL(url).origin : 'its address';
  const explain = (text: string): Error => new Error(`${where} ${text}`, { cause: error });
  const status = error instanceof SseError && error.code !== 0 ? error.code : httpStatusOf(error);
  if (status !== undefined) return explain(`answered with HTTP ${status}${responseText(error)}; ${adviceFor(status)}`);
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    // Our own errors already say what is wrong and what to do.
    if (code.startsWith('SIGNALBOX_')) return new Error(at.message, { cause: error });
    const meaning = meanings[code] ?? (/CERT|TLS/.test(code) ? 'its certificate is not trusted' : undefined);
    if (meaning !== undefined) return explain(`could not be connected to (${code}): ${meaning}`);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return explain('did not respond in time; check that it serves MCP at this url, or try again');
  return explain(`could not be connected to: ${withoutPreamble(error)}`);
}

/** Returns the code of a system error, which an `SseError` has only in its message. */
function codeOf(error: Error): string {
  if (error instanceof SseError) return /\bE[A-Z_]{4,}\b/.exec(error.message)?.[0] ?? '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'set "auth" or "headers" to credentials that it accepts';
  if (status >= 500 || status === 408 || status === 429) return 'try again, or ask its operator';
  return 'check that its url is the endpoint of an MCP server';
}

/** Returns the text of the response, unless it is an HTML page or JSON. */
function responseText(error: unknown): string {
  const text = withoutPreamble(error).trim();
  if (text === '' || /^[<{]|^Version negotiation|^SSE error: Non-200/.test(text)) return '';
  return `: ${text.slice(0, maxQuotedLength).replace(/\s+/g, ' ')}`;
}

function withoutPreamble(error: unknown): string {
  return messageOf(error).replace(
    /^(?:Error POSTing to endpoint(?: \(HTTP \d+\))?|Failed to open SSE stream|Version negotiation probe failed): ?/,
    '',
  );
}
