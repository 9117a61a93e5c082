import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the scripted model answers with. */
export type ModelBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object };

/** One request as a client of the Messages API made it. */
export interface MessagesRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** Speaks for the model: given what it was asked, says what it answers. */
export type ModelScript = (request: MessagesRequest) => readonly ModelBlock[];

/** A server that speaks the Messages API, streaming, and answers as scripted. */
export interface MessagesServer {
  readonly url: string;
  readonly requests: readonly MessagesRequest[];
  close(): Promise<void>;
}

/** Starts a scripted Messages API on a free port of this machine. */
export async function startMessagesServer(script: ModelScript): Promise<MessagesServer> {
  const requests: MessagesRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, script, requests);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: ModelScript,
  requests: MessagesRequest[],
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  if (request.method !== 'POST' || request.url?.startsWith('/v1/messages') !== true) {
    response.writeHead(404).end();
    return;
  }
  const asked = JSON.parse(body) as MessagesRequest;
  requests.push(asked);
  const blocks = script(asked);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${requests.length}`, type: 'message', role: 'assistant', model: 'scripted', content: [] };
  send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  for (const [index, block] of blocks.entries()) {
    const id = `toolu_${requests.length}_${index}`;
    if (block.type === 'text') {
      send('content_block_start', { index, content_block: { type: 'text', text: '' } });
      send('content_block_delta', { index, delta: { type: 'text_delta', text: block.text } });
    } else {
      send('content_block_start', { index, content_block: { type: 'tool_use', id, name: block.name, input: {} } });
      const partial = JSON.stringify(block.input);
      send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: partial } });
    }
    send('content_block_stop', { index });
  }
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}
