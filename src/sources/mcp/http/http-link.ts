import { SdkError, SseError } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../core/json/json.ts';
import type { InitializeResult, ConnectOptions, ServerLink } from '../connection/server-link.ts';
import { RpcChannel } from '../connection/rpc-channel.ts';
import { createSdkClient } from '../connection/sdk-client.ts';
import { explainHttpError } from './explain-http-error.ts';
import { type HttpTransportOptions, createHttpTransport } from './http-transport.ts';
import { httpStatusOf } from './http-errors.ts';

/** Creates the link to a server on the network. The SDK's client negotiates the protocol version. */
export function createHttpLink(options: ConnectOptions, transport: HttpTransportOptions): ServerLink {
  const { transport: http, refusal } = createHttpTransport(transport, options.maxMessageBytes);
  const channel = new RpcChannel(http, () => 'the connection was closed');
  const client = createSdkClient(options);
  return {
    channel,
    async initialize(known): Promise<InitializeResult> {
      const prior = await known();
      await client.connect(channel, { timeout: options.timeoutMs, ...(prior === undefined ? {} : { prior }) });
      const [serverInfo, instructions] = [client.getServerVersion(), client.getInstructions()];
      const discovered = client.getDiscoverResult();
      return {
        isModern: client.getProtocolEra() === 'modern',
        protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
        capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
        ...(serverInfo === undefined ? {} : { serverInfo: serverInfo as JsonObject }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(discovered === undefined ? {} : { discovered }),
      };
    },
    client: () => Promise.resolve(client),
    reason: () => undefined,
    refusal,
    explain: (error) =>
      error instanceof SdkError || error instanceof SseError || isNetworkError(error)
        ? explainHttpError(error, transport.url)
        : error,
    // The SDK would open a new stream, which belongs to a session without a handshake.
    isBroken: (error) => error instanceof SseError,
  };
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || httpStatusOf(error) !== undefined);
}
