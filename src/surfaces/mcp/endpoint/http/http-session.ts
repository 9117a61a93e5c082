import type { ServerResponse } from 'node:http';
import { newSecretId } from '../../../../model/identifiers.ts';
import type { Peer } from '../caller.ts';
import type { LegacySession } from '../legacy-session.ts';
import type { McpEndpoint } from '../mcp-endpoint.ts';
import type { SeenClient } from '../seen-client.ts';
import { EventStream, type HeaderList } from './event-stream.ts';

const mostKept = { mostEvents: 200, mostBytes: 192 * 1024 };
/** What was sent may still be lost on the way: the client can come back for it so long. */
const keptMs = 60_000;
/** Streams that ended while their client was away, and are kept for it. */
const mostStreams = 20;

/** A session over HTTP: a secret id, and the streams that its client can come back to. */
export class HttpSession {
  readonly id = newSecretId('session');
  /** On the answers to its requests. */
  readonly headers: HeaderList = ['Mcp-Session-Id', this.id];
  readonly conversation: LegacySession;
  readonly since = Date.now();
  seen = this.since;
  /** Carries what belongs to no request. */
  readonly #standalone = new EventStream({ name: 0, primes: false, ...mostKept });
  readonly #streams = new Map<number, EventStream>();
  #last = 0;

  constructor(endpoint: McpEndpoint, peer: Peer) {
    this.conversation = endpoint.session(peer, this.#standalone);
  }

  /** Whether somebody waits for something from it. */
  get isInUse(): boolean {
    return this.#standalone.isAttached || this.conversation.isBusy;
  }

  /** Who is at the other end; nobody before the session is agreed on. */
  get client(): SeenClient | undefined {
    const { client, version, name, peer } = this.conversation;
    if (version === undefined) return undefined;
    const { since, seen, isInUse } = this;
    const who = { principal: peer.principal.id, profile: peer.view.profile };
    return { ...client, protocolVersion: version, ...who, session: name, since, seen, isInUse };
  }

  /** Whether it belongs to whoever asks. */
  isOf({ principal, view }: Peer): boolean {
    const { peer } = this.conversation;
    return peer.principal.id === principal.id && peer.view.profile === view.profile;
  }

  /** A stream for one request. */
  stream(): EventStream {
    const name = (this.#last += 1);
    const primes = (this.conversation.version ?? '') >= '2025-11-25';
    const forget = (): boolean => this.#streams.delete(name);
    const delivered = (): void => void setTimeout(forget, keptMs).unref();
    const stream = new EventStream({ name, primes, ...mostKept, delivered });
    this.#streams.set(name, stream);
    for (const old of this.#streams.keys()) {
      if (this.#streams.size <= mostStreams) break;
      this.#streams.delete(old);
    }
    return stream;
  }

  /** Goes on with the stream that a client lost, or with the one that belongs to no request. */
  listen(response: ServerResponse, lastEventId: string | undefined): EventStream {
    const [name = 0, after] = (lastEventId ?? '').split('-', 2).map(Number);
    const lost = lastEventId === undefined || !Number.isSafeInteger(after) ? undefined : this.#stream(name);
    const stream = lost ?? this.#standalone;
    stream.attach(response, [], lost === undefined ? undefined : after);
    return stream;
  }

  stopListening(): void {
    this.#standalone.end();
  }

  close(): void {
    this.conversation.close();
    this.#standalone.end();
    for (const stream of this.#streams.values()) stream.end();
  }

  #stream(name: number): EventStream | undefined {
    return name === 0 ? this.#standalone : this.#streams.get(name);
  }
}
