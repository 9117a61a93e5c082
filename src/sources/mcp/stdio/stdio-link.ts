import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ProgramOptions } from '../../../process/process-group.ts';
import { ConnectionLostError } from '../connection/connection-errors.ts';
import type { DiscoverResult, ConnectionOptions, ServerLink } from '../connection/server-link.ts';
import { StdioChannel } from '../connection/rpc-channel.ts';
import { initializeProcess } from './initialize-process.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Creates the link to a program. It works without the SDK, which takes as long to load as many programs take to start. */
export function createStdioLink(options: ConnectionOptions, program: ProgramOptions): ServerLink {
  const { lines, maxMessageBytes, timeoutMs } = options;
  const stdio = new StdioTransport({ ...program, lines, maxMessageBytes });
  const reason = (): string | undefined => stdio.closeReason;
  const channel = new StdioChannel(stdio, () => reason() ?? 'its process ended');
  const rest: Pick<Transport, 'onmessage'> = { onmessage: (message) => handleOther(message, channel, options) };
  Object.assign(channel, rest);
  let discovered: DiscoverResult | undefined;
  return {
    channel,
    async initialize(known) {
      await channel.start();
      const result = await initializeProcess(channel, await known(), options);
      ({ discovered } = result);
      return result;
    },
    async client() {
      if (discovered === undefined) throw new Error('change subscriptions need a server of the 2026 revision');
      const { createSdkClient } = await import('../connection/sdk-client.ts');
      const client = createSdkClient(options);
      // The client chains handlers that it finds; its own replace these.
      Object.assign(channel, { onmessage: undefined });
      await client.connect(channel, { prior: { kind: 'modern', discover: discovered } });
      return client;
    },
    reason,
    refusal: () => undefined,
    explain(error) {
      if (!(error instanceof ConnectionLostError)) return error;
      const what = `the program ${JSON.stringify(program.command)} runs, but did not respond within ${timeoutMs / 1000} s`;
      return new Error(`${what}; check that it speaks MCP on its standard input and output`, { cause: error });
    },
    isFinal: (error) => wasNotStarted(error) || isSilent(error),
    isBroken: () => false,
  };
}

function wasNotStarted(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'syscall' in cause && String(cause.syscall).startsWith('spawn');
}

/** Returns whether the program runs and answered neither handshake. `initializeProcess` has tried both, so another attempt would only wait again. */
function isSilent(error: unknown): boolean {
  return error instanceof ConnectionLostError;
}

/** Handles a message that is neither a response nor meant for a call: pings, and changes of lists and resources. */
function handleOther(message: JSONRPCMessage, channel: StdioChannel, options: ConnectionOptions): void {
  if (!('method' in message)) return;
  const { method } = message;
  if ('id' in message) {
    const reply =
      method === 'ping' ? { result: {} } : { error: { code: -32_601, message: `there is no method ${method}` } };
    // The server may be gone already.
    channel.send({ jsonrpc: '2.0', id: message.id, ...reply }).catch(() => undefined);
    return;
  }
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) options.onListChanged(list as 'tools' | 'resources' | 'prompts');
  const uri = message.params?.['uri'];
  if (method === 'notifications/resources/updated' && typeof uri === 'string') options.onResourceUpdated(uri);
}
