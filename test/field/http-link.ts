import type { JsonObject } from '../../src/core/json/json.ts';
import type { RpcLink } from './rpc-client.ts';

/** A streamable HTTP connection: every message is a POST; the response is a JSON document or an event stream. */
export class HttpLink implements RpcLink {
  onMessage: (message: JsonObject) => void = () => undefined;
  onClose: (reason: Error) => void = () => undefined;
  readonly #url: string;
  readonly #abort = new AbortController();
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
  }

  async send(message: JsonObject): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(message),
      signal: this.#abort.signal,
    });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) this.#headers['Mcp-Session-Id'] = session;
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && type.includes('event-stream')) return this.#readEvents(response);
    const text = await response.text();
    if (text !== '' && type.includes('json')) this.#emit(text);
    else if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
  }

  async close(): Promise<void> {
    const { 'Mcp-Session-Id': session } = this.#headers;
    if (session !== undefined)
      await fetch(this.#url, { method: 'DELETE', headers: this.#headers }).catch(() => undefined);
    this.#abort.abort();
  }

  async #readEvents(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const data = [...text.slice(0, end).matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
        text = text.slice(end + 2);
        if (data !== '') this.#emit(data);
      }
    }
  }

  #emit(text: string): void {
    const message = JSON.parse(text) as JsonObject | readonly JsonObject[];
    for (const each of Array.isArray(message) ? (message as readonly JsonObject[]) : [message as JsonObject])
      this.onMessage(each);
  }
}
