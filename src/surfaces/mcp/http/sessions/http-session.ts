import { newSecretId } from '../../../../core/identifiers.ts';
import type { McpEndpoint } from '../../mcp-endpoint.ts';
import type { RecentClient } from '../../protocol/client-info.ts';
import type { RequestId } from '../../protocol/wire-messages.ts';
import type { ClientChannel, Peer } from '../../requests/request-context.ts';
import type { LegacySession } from '../../sessions/legacy-session.ts';
import { type StreamId, formatStreamId } from '../streams/event-ids.ts';
import { type HeaderList, type StreamOutlet, EventStream, maxUnreadSseBytes } from '../streams/event-stream.ts';
import { hash } from 'node:crypto';

const replayLimits = { maxEvents: 200, maxBytes: 192 * 1024 };
/** The time for which a finished stream can be resumed, because the network may have lost its last bytes. */
const finishedStreamTtlMs = 60_000;
/** The maximum number of buffered streams of one session. */
const maxStreams = 20;

/** `streamable`: since 2025-03-26. `sse`: HTTP+SSE of 2024-11-05, where everything goes over one stream. */
export type SessionTransport = 'streamable' | 'sse';

/** Options of a session. */
export interface HttpSessionOptions {
  /** The id of a session that another process began; a new one when absent. */
  readonly id?: string | undefined;
  readonly transport?: SessionTransport;
}

/** A session over HTTP: a secret id, and streams that the client can resume. */
export class HttpSession {
  readonly id: string;
  readonly transport: SessionTransport;
  /** The key that it is stored under for other processes. */
  readonly key: string;
  /** The headers of its responses. */
  readonly headers: HeaderList;
  readonly conversation: LegacySession;
  since = Date.now();
  seen = this.since;
  /** The expiry time of its stored state; 0 while it is not stored. */
  until = 0;
  /** Whether another process has changed it. */
  isOutdated = false;
  readonly #address: string;
  /** Whether it came from another process, and its client has not opened a stream here yet. */
  #isNewHere: boolean;
  /** Carries messages that belong to no request. */
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
    this.#address = endpoint.relay?.address ?? 'here';
    this.#standalone =
      transport === 'sse'
        ? new EventStream(undefined, maxUnreadSseBytes)
        : new EventStream({
            name: formatStreamId({ address: this.#address, stream: 0 }),
            primes: false,
            ...replayLimits,
          });
    this.conversation = endpoint.session(peer, this.#standalone);
  }

  /** The stream for messages that belong to no request; with the transport `sse`, for all messages. */
  get channel(): ClientChannel {
    return this.#standalone;
  }

  /** Whether it has an open stream or a request in progress. */
  get isInUse(): boolean {
    return this.#standalone.isAttached || this.conversation.isBusy;
  }

  /** The client; `undefined` before the session is initialized. */
  get client(): RecentClient | undefined {
    const { client, version, name, peer } = this.conversation;
    if (version === undefined) return undefined;
    const { since, seen, isInUse } = this;
    const who = { principal: peer.principal.id, profile: peer.view.profile };
    return { ...client, protocolVersion: version, ...who, session: name, since, seen, isInUse };
  }

  /** Returns whether it belongs to this peer. */
  isOf({ principal, view }: Peer): boolean {
    const { peer } = this.conversation;
    return peer.principal.id === principal.id && peer.view.profile === view.profile;
  }

  /** Creates a stream for one request, or for a batch without `request`. */
  stream(request?: RequestId): EventStream {
    const stream = (this.#last += 1);
    const primes = (this.conversation.version ?? '') >= '2025-11-25';
    const forget = (): boolean => this.#streams.delete(stream);
    const delivered = (): void => void setTimeout(forget, finishedStreamTtlMs).unref();
    const name = formatStreamId({ address: this.#address, stream, request });
    const made = new EventStream({ name, primes, ...replayLimits, delivered });
    this.#streams.set(stream, made);
    for (const old of this.#streams.keys()) {
      if (this.#streams.size <= maxStreams) break;
      this.#streams.delete(old);
    }
    return made;
  }

  /** Returns whether this process holds a stream. */
  holds({ address }: Pick<StreamId, 'address'>): boolean {
    return address === this.#address;
  }

  /** Resumes a stream that the client lost; returns `undefined` if it no longer exists. */
  resume(outlet: StreamOutlet, stream: number, after: number): EventStream | undefined {
    const lost = stream === 0 ? this.#standalone : this.#streams.get(stream);
    lost?.attach(outlet, [], after);
    return lost;
  }

  /** Attaches the standalone stream to a response. */
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

/** Returns the key that a session is stored under: a hash, so that the store does not reveal session ids. */
export function sessionKey(id: string): string {
  return hash('sha256', id, 'base64url');
}
