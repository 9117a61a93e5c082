import { within } from '../support/within.ts';
import { token } from './serving.ts';

/** A JSON-RPC message. */
export interface Message {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> & { content?: { text: string }[]; isError?: boolean };
  readonly error?: { code: number; message: string; data?: unknown };
}

/** Returns the `_meta` that every request of revision 2026-07-28 has. */
export function envelope(capabilities: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** Posts a body as it is, valid or not. */
export function send(url: URL, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
}

/** Sends a request of revision 2026-07-28. */
export function sendModern(
  url: URL,
  method: string,
  params: Record<string, unknown>,
  more: { id?: string | number; capabilities?: object; headers?: Record<string, string>; meta?: object } = {},
): Promise<Response> {
  const { id = 1, capabilities, headers = {}, meta = {} } = more;
  const name = (params['name'] ?? params['uri']) as string | undefined;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: { ...envelope(capabilities), ...meta } },
  });
  return send(url, body, {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(name === undefined ? {} : { 'Mcp-Name': name }),
    ...headers,
  });
}

/** Initializes a session and resolves with the headers of its requests. */
export async function begin(
  url: URL,
  capabilities: object = {},
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } };
  const response = await send(url, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), headers);
  await response.text();
  return {
    ...headers,
    'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': '2025-11-25',
  };
}

/** Reads all messages of a response: one JSON document, or an event stream. */
export async function messagesOf(response: Response): Promise<Message[]> {
  const text = await response.text();
  if (!(response.headers.get('content-type') ?? '').includes('event-stream'))
    return text === '' ? [] : [JSON.parse(text) as Message];
  return eventsIn(text).flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data) as Message]));
}

/** Reads the last message of a response. */
export async function messageOf(response: Response | Promise<Response>): Promise<Message> {
  const messages = await messagesOf(await response);
  const last = messages.at(-1);
  if (last === undefined) throw new Error('the response is empty');
  return last;
}

/** Parses the events of a stream, with their ids. */
export function eventsIn(text: string): { id: string | undefined; data: string }[] {
  return text
    .split('\n\n')
    .filter((event) => /^data:/m.test(event))
    .map((event) => ({
      id: /^id: (.*)$/m.exec(event)?.[1],
      data: [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n'),
    }));
}

/** Reads a stream until the text so far is enough, and cancels it. */
export async function readUntil(response: Response, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await within(reader.read(), 'the expected part of the stream', () => text);
    if (value !== undefined) text += decoder.decode(value, { stream: true });
    if (done || isEnough(text)) break;
  }
  await reader.cancel();
  return text;
}
