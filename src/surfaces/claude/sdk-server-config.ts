import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import type { JsonObject } from '../../core/json/json.ts';
import type { ToolServer } from './tool-server.ts';

/** The way between the SDK and a server of ours, as far as it is used. */
interface Transport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** A server in the form the SDK takes: it wants something that can be connected, and asks no more of it than that. */
export function serverConfig(server: ToolServer): McpSdkServerConfigWithInstance {
  let connected: Transport | undefined;
  const instance = {
    async connect(transport: Transport): Promise<void> {
      connected = transport;
      const onmessage = (message: JsonObject): void => {
        void server.answer(message).then((answer) => (answer === undefined ? undefined : transport.send(answer)));
      };
      Object.assign(transport, { onmessage });
      await transport.start();
    },
    async close(): Promise<void> {
      await connected?.close();
    },
  };
  return {
    type: 'sdk',
    name: server.name,
    instance: instance as unknown as McpSdkServerConfigWithInstance['instance'],
  };
}
