import { type HttpResponse, HttpConnection } from './http-connection.ts';

/** The address of a gateway, and the transport to it. */
export interface GatewayAddress {
  readonly port: number;
  readonly path: string;
  /** Some gateways support only HTTP+SSE. */
  readonly transport: 'streamable' | 'sse';
  readonly token?: string;
  /** Whether to use the protocol without sessions, as of 2026-07-28. */
  readonly stateless?: true;
}

const info = { name: 'bench', version: '1' };
const initialization = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info };
const modern = '2026-07-28';
/** The maximum number of list requests while waiting for the tools: about a minute. */
const maxListRequests = 6000;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': info,
};

/** An MCP client with minimal overhead, the same for all gateways. It keeps connections alive and does not parse responses. */
export class LeanClient {
  /** The name under which the gateway lists the tool `echo`. */
  echo = '';
  readonly #address: GatewayAddress;
  readonly #idle: HttpConnection[] = [];
  readonly #all: HttpConnection[] = [];
  readonly #events = new Map<number, (data: string) => void>();
  #path: string;
  #headers: string;
  #last = 0;

  private constructor(address: GatewayAddress) {
    this.#address = address;
    this.#path = address.path;
    this.#headers = [
      `Host: 127.0.0.1:${address.port}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      ...(address.token === undefined ? [] : [`Authorization: Bearer ${address.token}`]),
    ].join('\r\n');
  }

  /** Connects, and waits until the servers' tools are listed. `call` uses the first of them. */
  static async open(address: GatewayAddress, tools: readonly string[] = ['echo']): Promise<LeanClient> {
    const client = new LeanClient(address);
    try {
      if (address.transport === 'sse') await client.#openStream();
      if (address.stateless !== true) await client.#initialize();
      client.echo = await client.#waitForTools(tools);
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }

  /** Calls the tool. Throws unless the response contains the text. */
  async call(text: string): Promise<void> {
    const answer = await this.#request('tools/call', { name: this.echo, arguments: { text } }, this.echo);
    if (!answer.includes(text)) throw new Error(`the response is not the echo: ${answer.toString().slice(0, 500)}`);
  }

  /** Lists the tools. Returns the size of the response in bytes. */
  async list(): Promise<number> {
    const answer = await this.#request('tools/list', {});
    if (!answer.includes('"inputSchema"'))
      throw new Error(`the response is not a list: ${answer.toString().slice(0, 500)}`);
    return answer.length;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  /** Waits until all tools are listed. Returns the name of the first, with the prefix of the gateway. */
  async #waitForTools(tools: readonly string[]): Promise<string> {
    for (let count = 0; count < maxListRequests; count += 1) {
      const answer = (await this.#request('tools/list', {})).toString();
      const names = tools.map((tool) => new RegExp(`"name":"((?:[\\w-]*__)?${tool})"`).exec(answer)?.[1]);
      if (names[0] !== undefined && names.every((name) => name !== undefined)) return names[0];
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`not all of ${tools.join(', ')} are listed`);
  }

  async #initialize(): Promise<void> {
    const { head } = await this.#post({ id: (this.#last += 1), method: 'initialize', params: initialization });
    const session = /\nmcp-session-id: *(\S+)/.exec(head)?.[1];
    if (session !== undefined) this.#headers += `\r\nMcp-Session-Id: ${session}`;
    this.#headers += '\r\nMCP-Protocol-Version: 2025-06-18';
    await this.#post({ method: 'notifications/initialized' });
  }

  /** Returns the unparsed response: a JSON document, or an event that contains one. */
  async #request(method: string, params: object, name?: string): Promise<Buffer | string> {
    const id = (this.#last += 1);
    if (this.#address.transport === 'sse') {
      const event = new Promise<string>((resolve) => this.#events.set(id, resolve));
      const [answer] = await Promise.all([event, this.#post({ id, method, params })]);
      return answer;
    }
    if (this.#address.stateless !== true) return (await this.#post({ id, method, params })).body;
    const named = name === undefined ? '' : `\r\nMcp-Name: ${name}`;
    const headers = `\r\nMCP-Protocol-Version: ${modern}\r\nMcp-Method: ${method}${named}`;
    return (await this.#post({ id, method, params: { ...params, _meta: envelope } }, headers)).body;
  }

  async #post(message: object, headers = ''): Promise<{ readonly head: string; readonly body: Buffer }> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const answer = await this.#send(
      `POST ${this.#path} HTTP/1.1\r\n${this.#headers}${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    if (answer.status >= 300) throw new Error(`${answer.head.slice(0, 12)}: ${answer.body.toString().slice(0, 500)}`);
    return answer;
  }

  async #send(request: string): Promise<HttpResponse> {
    let connection = this.#idle.pop();
    while (connection?.isOpen === false) connection = this.#idle.pop();
    const isNew = connection === undefined;
    connection ??= this.#connect();
    try {
      const answer = await connection.send(request);
      this.#idle.push(connection);
      return answer;
    } catch (error) {
      // The gateway may close a connection at the moment of its reuse.
      if (isNew) throw error;
      return await this.#send(request);
    }
  }

  #connect(onPart?: (part: Buffer) => void): HttpConnection {
    const connection = new HttpConnection(this.#address.port, onPart);
    this.#all.push(connection);
    return connection;
  }

  async #openStream(): Promise<void> {
    const { port, path } = this.#address;
    const opened = Promise.withResolvers<void>();
    let text = '';
    const connection = this.#connect((part) => {
      text += part.toString();
      if (!text.endsWith('\n\n')) return;
      for (const event of text.split('\n\n')) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data === undefined) continue;
        if (event.includes('event: endpoint')) {
          this.#path = data;
          opened.resolve();
        } else this.#receive(data);
      }
      text = '';
    });
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`;
    const { head } = await connection.send(request);
    if (!head.includes(' 200 ')) throw new Error(`no stream: ${head.slice(0, 200)}`);
    await opened.promise;
  }

  #receive(data: string): void {
    const id = Number(/"id":(\d+)\}$/.exec(data)?.[1] ?? (JSON.parse(data) as { id?: unknown }).id);
    this.#events.get(id)?.(data);
    this.#events.delete(id);
  }
}
