import { newSecretId } from '../../../../core/identifiers.ts';
import type { McpEndpoint } from '../../mcp-endpoint.ts';
import type { SeenClient } from '../../protocol/client-info.ts';
import type { RequestId } from '../../protocol/wire-messages.ts';
import type { ClientChannel, Peer } from '../../requests/request-context.ts';
import type { LegacySession } from '../../sessions/legacy-session.ts';
import { type StreamPlace, streamName } from '../streams/event-ids.ts';
import { type HeaderList, type StreamOutlet, EventStream, maxUnreadSseBytes } from '../streams/event-stream.ts';
import { hash } from 'node:crypto';

const mostKept = { mostEvents: 200, mostBytes: 192 * 1024 };
/** What was sent may still be lost on the way: the client can come back for it so long. */
const keptMs = 60_000;
/** Streams that ended while their client was away, and are kept for it. */
const mostStreams = 20;

/** `streamable`: since 2025-03-26. `sse`: HTTP+SSE of 2024-11-05, where everything goes over one stream. */
export type SessionTransport = 'streamable' | 'sse';

/** Options of a session. */
export interface HttpSessionOptions {
  /** The id of a session that another process began; a new one when absent. */
  readonly id?: string | undefined;
  readonly transport?: SessionTransport;
}

/** A session over HTTP: a secret id, and the streams that its client can come back to. */
export class HttpSession {
  readonly id: string;
  readonly transport: SessionTransport;
  /** What it is kept under, for other processes. */
  readonly key: string;
  /** On the answers to its requests. */
  readonly headers: HeaderList;
  readonly conversation: LegacySession;
  since = Date.now();
  seen = this.since;
  /** Until when it is kept; 0 while it is not. */
  until = 0;
  /** Whether another process has changed it. */
  isOutdated = false;
  readonly #place: string;
  /** Whether it came from another process, and nobody has listened here yet. */
  #isNewHere: boolean;
  /** Carries what belongs to no request. */
  readonly #standalone: EventStream;
  readonly #streams = new Map<number, EventStream>();
  #last = 0;
  #isStopping = false;

  constructor(endpoint: McpEndpoint, peer: Peer, { id: known, transport = 'streamable' }: HttpSessionOptions = {}) {
    const id = known ?? newSecretId('session');
    this.id = id;
    this.transport = transport;
    this.#isNewHere = known !== undefined;
    this.key = sessionKey(id);
    this.headers = ['Mcp-Session-Id', id];
    this.#place = endpoint.relay?.place ?? 'here';
    this.#standalone =
      transport === 'sse'
        ? new EventStream(undefined, maxUnreadSseBytes)
        : new EventStream({ name: streamName({ place: this.#place, stream: 0 }), primes: false, ...mostKept });
    this.conversation = endpoint.session(peer, this.#standalone);
  }

  /** The stream for messages that belong to no request; with the transport `sse`, for all messages. */
  get channel(): ClientChannel {
    return this.#standalone;
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

  /** A stream for one request; for several of a list, it has no name of one. */
  stream(request?: RequestId): EventStream {
    const stream = (this.#last += 1);
    const primes = (this.conversation.version ?? '') >= '2025-11-25';
    const forget = (): boolean => this.#streams.delete(stream);
    const delivered = (): void => void setTimeout(forget, keptMs).unref();
    const name = streamName({ place: this.#place, stream, request });
    const made = new EventStream({ name, primes, ...mostKept, delivered });
    this.#streams.set(stream, made);
    for (const old of this.#streams.keys()) {
      if (this.#streams.size <= mostStreams) break;
      this.#streams.delete(old);
    }
    return made;
  }

  /** Whether a stream is this process's own. */
  holds({ place }: Pick<StreamPlace, 'place'>): boolean {
    return place === this.#place;
  }

  /** Goes on with a stream that its client lost; `undefined` when it is not there any more. */
  resume(outlet: StreamOutlet, stream: number, after: number): EventStream | undefined {
    const lost = stream === 0 ? this.#standalone : this.#streams.get(stream);
    lost?.attach(outlet, [], after);
    return lost;
  }

  /** Says from now on what belongs to no request. */
  listen(outlet: StreamOutlet): EventStream {
    this.#standalone.attach(outlet, []);
    if (this.#isNewHere) this.conversation.notifyMissedChanges();
    this.#isNewHere = false;
    return this.#standalone;
  }

  /** Ends the standalone stream. With the transport `sse`, it ends after the pending responses are sent. */
  stopListening(): void {
    this.#isStopping = true;
    if (this.transport === 'streamable' || !this.conversation.isBusy) this.#standalone.end();
  }

  /** Ends the standalone stream when it was only waiting for pending responses. */
  endIfStopping(): void {
    if (this.#isStopping) this.#standalone.end();
  }

  close(): void {
    this.conversation.close();
    this.#standalone.end();
    for (const stream of this.#streams.values()) stream.end();
  }
}

/** What a session is kept under: whoever reads the store learns no id from it. */
export function sessionKey(id: string): string {
  return hash('sha256', id, 'base64url');
}
