import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ProgramOptions } from '../../../process/process-group.ts';
import { ConnectionLost } from '../connection/connection-errors.ts';
import type { DiscoverResult, ConnectOptions, ServerLink } from '../connection/server-link.ts';
import { StdioChannel } from '../connection/rpc-channel.ts';
import { initializeProcess } from './initialize-process.ts';
import { StdioTransport } from './stdio-transport.ts';

/** The way to a program. It is spoken to as soon as it runs, and without the SDK, which takes as long to load as many a program to start. */
export function createStdioLink(options: ConnectOptions, program: ProgramOptions): ServerLink {
  const { lines, maxMessageBytes, timeoutMs } = options;
  const stdio = new StdioTransport({ ...program, lines, maxMessageBytes: largestMessage });
  const reason = (): string | undefined => stdio.closedBecause;
  const lane = new StdioChannel(stdio, () => reason() ?? 'its process ended');
  const rest: Pick<Transport, 'onmessage'> = { onmessage: (message) => takeRest(message, lane, options) };
  Object.assign(lane, rest);
  let discovered: DiscoverResult | undefined;
  return {
    channel: lane,
    async initialize(known) {
      await lane.start();
      const greeting = await initializeProcess(lane, await known(), options);
      ({ discovered } = greeting);
      return greeting;
    },
    async client() {
      if (discovered === undefined) throw new Error('only a server of the 2026 revision is listened to');
      const { sdkClient } = await import('../connection/sdk-client.ts');
      const client = sdkClient(options);
      // It takes what it finds there along.
      Object.assign(lane, { onmessage: undefined });
      await client.connect(lane, { prior: { kind: 'modern', discover: discovered } });
      return client;
    },
    reason,
    refusal: () => undefined,
    explain(error) {
      if (!(error instanceof ConnectionLost)) return error;
      const what = `the program ${JSON.stringify(program.command)} runs, but did not answer within ${timeoutMs / 1000} s`;
      return new Error(`${what}; see whether it speaks MCP on its standard input and output`, { cause: error });
    },
    isBroken: () => false,
  };
}

/** What is neither an answer to us nor for a caller. */
function takeRest(message: JSONRPCMessage, lane: StdioChannel, options: ConnectOptions): void {
  if (!('method' in message)) return;
  const { method } = message;
  if ('id' in message) {
    const reply =
      method === 'ping' ? { result: {} } : { error: { code: -32_601, message: `there is no method ${method}` } };
    // A server that is gone needs no reply.
    lane.send({ jsonrpc: '2.0', id: message.id, ...reply }).catch(() => undefined);
    return;
  }
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) options.onListChanged(list as 'tools' | 'resources' | 'prompts');
  const uri = message.params?.['uri'];
  if (method === 'notifications/resources/updated' && typeof uri === 'string') options.onResourceUpdated(uri);
}
