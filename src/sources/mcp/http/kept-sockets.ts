import { type LookupFunction, type Socket, connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecurely } from 'node:tls';
import type { Answered, Ask, Asked } from './ask.ts';
import { type Keeper, KeptSocket, type OnRead } from './kept-socket.ts';

/** Where calls go, and who asks there when it cannot be done here. */
export interface KeptSocketsOptions {
  readonly url: URL;
  /** Looks up names, and refuses addresses; the system's own where there is none. */
  readonly lookup?: LookupFunction;
  readonly byNode: Ask;
  readonly largestAnswer: number;
}

const mostIdle = 256;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Other letters are one byte each in a header, and not in the text that is sent with the body.
const notInValue = /[^\t\x20-\x7e]/;

/**
 * Connections to one server, kept for the calls to come. Does what `node:http` does for calls that are answered plainly, in a third of
 * the time, and has it read any other answer. A server that succeeds in another way is asked by `node:http` from then on, because the
 * connection of such an answer is not kept.
 */
export class KeptSockets implements Keeper {
  readonly largestAnswer: number;
  readonly #options: KeptSocketsOptions;
  readonly #begin: string;
  /** The one that was used last is the last. */
  readonly #idle: KeptSocket[] = [];
  readonly #all = new Set<KeptSocket>();
  #isPlain = true;
  #session: Buffer | undefined;

  constructor(options: KeptSocketsOptions) {
    const { pathname, search } = options.url;
    this.largestAnswer = options.largestAnswer;
    this.#options = options;
    this.#begin = `POST ${pathname}${search} HTTP/1.1\r\nconnection: keep-alive\r\n`;
  }

  /** Posts a call. It is never sent twice: it fails when its connection does. */
  post(headers: readonly string[], body: string, answered: Answered): Asked {
    const head = this.#isPlain ? this.#headOf(headers) : undefined;
    if (head === undefined)
      return this.#options.byNode({ method: 'POST', headers }, body, answered.left, answered.failed);
    let kept = this.#idle.pop();
    while (kept?.reuse() === false) {
      kept.destroy();
      kept = this.#idle.pop();
    }
    if (kept === undefined) this.#all.add((kept = new KeptSocket(this)));
    kept.ask(`${head}\r\n${body}`, answered);
    return kept;
  }

  /** Closes all, also those on which an answer is awaited. */
  close(): void {
    for (const each of this.#all) each.destroy();
  }

  connect(onread: OnRead): Socket {
    const { url, lookup } = this.#options;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port === '' ? (isSecure ? 443 : 80) : url.port);
    const settings = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000, onread };
    const place = { ...settings, ...(lookup === undefined ? {} : { lookup }) };
    if (!isSecure) return connect(place);
    const socket = connectSecurely({
      ...place,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(this.#session === undefined ? {} : { session: this.#session }),
    });
    socket.on('session', (session) => (this.#session = session));
    socket.on('error', () => (this.#session = undefined));
    return socket;
  }

  release(kept: KeptSocket): void {
    if (this.#idle.length < mostIdle) this.#idle.push(kept);
    else kept.destroy();
  }

  handOver(line: Duplex, { left, failed }: Answered): Asked {
    const answered: Answered['left'] = (incoming) => {
      if (incoming.statusCode === 200) this.#isPlain = false;
      left(incoming);
    };
    const request = { method: 'POST', agent: undefined, createConnection: () => line };
    return this.#options.byNode(request, undefined, answered, failed);
  }

  closed(kept: KeptSocket): void {
    this.#all.delete(kept);
    const index = this.#idle.indexOf(kept);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  /** None where something in it cannot be sent; `node:http` says what. */
  #headOf(headers: readonly string[]): string | undefined {
    let head = this.#begin;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] ?? '';
      const value = headers[index + 1] ?? '';
      if (!headerName.test(name) || notInValue.test(value)) return undefined;
      head += `${name}: ${value}\r\n`;
    }
    return head;
  }
}
