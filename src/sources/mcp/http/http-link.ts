import { SdkError, SseError } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../core/json/json.ts';
import type { InitializeResult, ConnectOptions, ServerLink } from '../connection/server-link.ts';
import { RpcChannel } from '../connection/rpc-channel.ts';
import { sdkClient } from '../connection/sdk-client.ts';
import { explainHttpError } from './explain-http-error.ts';
import { type HttpTransportOptions, createHttpTransport } from './http-transport.ts';
import { httpStatusOf } from './http-errors.ts';

/** The way to a server on the network. Everything that is particular about it is the SDK's. */
export function createHttpLink(options: ConnectOptions, transport: HttpTransportOptions): ServerLink {
  const { transport: http, refusal } = createHttpTransport(transport, options.maxMessageBytes);
  const lane = new RpcChannel(http, () => 'the connection was closed');
  const client = sdkClient(options);
  return {
    channel: lane,
    async initialize(known): Promise<InitializeResult> {
      const prior = await known();
      await client.connect(lane, { timeout: options.timeoutMs, ...(prior === undefined ? {} : { prior }) });
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
      error instanceof SdkError || error instanceof SseError || isOfSystem(error)
        ? explainHttpError(error, transport.url)
        : error,
    // Its new stream would belong to a new session, which has not shaken hands.
    isBroken: (error) => error instanceof SseError,
  };
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || httpStatusOf(error) !== undefined);
}
