import type { Peer } from '../../requests/request-context.ts';
import type { RecentClient } from '../../protocol/client-info.ts';
import type { McpEndpoint } from '../../mcp-endpoint.ts';
import { Refusal, type WireNotification, type WireResponse, wireCodes } from '../../protocol/wire-messages.ts';
import { type HttpSessionOptions, HttpSession, sessionKey } from './http-session.ts';
import { type FoundSession, SharedSessionStore, type SessionNote } from './shared-session-store.ts';

/** Limits of the number of sessions, and of their idle time. */
export interface SessionLimits {
  /** The maximum number of sessions (default 10,000). */
  readonly maxSessions?: number;
  /** The maximum number of sessions of one principal (default: a tenth of all). */
  readonly maxPerPrincipal?: number;
  /** Default: half an hour. */
  readonly idleMs?: number;
}

/**
 * The sessions of all clients. A session is visible only to the principal that began it. With a shared store, each process holds the
 * sessions that it began or received requests of, and loads others from the store.
 */
export class SessionRegistry {
  readonly #endpoint: McpEndpoint;
  readonly #store: SharedSessionStore | undefined;
  readonly #stopListeningToStore: (() => void) | undefined;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byKey = new Map<string, HttpSession>();
  readonly #loading = new Map<string, Promise<HttpSession | undefined>>();
  readonly #byPrincipal = new Map<string, Set<HttpSession>>();
  readonly #maxSessions: number;
  readonly #maxPerPrincipal: number;
  readonly #idleMs: number;

  constructor(
    endpoint: McpEndpoint,
    { maxSessions = 10_000, maxPerPrincipal = Math.ceil(maxSessions / 10), idleMs = 30 * 60_000 }: SessionLimits = {},
  ) {
    this.#endpoint = endpoint;
    this.#maxSessions = maxSessions;
    this.#maxPerPrincipal = maxPerPrincipal;
    this.#idleMs = idleMs;
    const { shared, relay } = endpoint;
    if (shared === undefined || relay === undefined) return;
    this.#store = new SharedSessionStore(shared, relay.address, idleMs);
    this.#stopListeningToStore = this.#store.listen(
      (key, note) => this.#receiveNote(key, note),
      () => this.#refreshAll(),
    );
  }

  /**
   * Begins a session. At the limit per principal, replaces the principal's longest idle session. At the total limit, replaces the
   * longest idle session of the principal with the most sessions.
   */
  begin(peer: Peer, options: HttpSessionOptions = {}): HttpSession {
    const { principal } = peer;
    const own = this.#byPrincipal.get(principal.id);
    if (own !== undefined && own.size >= this.#maxPerPrincipal) this.#makeRoom(own);
    else if (this.#sessions.size >= this.#maxSessions) this.#makeRoom(this.#largestShare());
    const session = new HttpSession(this.#endpoint, peer, options);
    this.#sessions.set(session.id, session);
    this.#byKey.set(session.key, session);
    const store = this.#store;
    // An HTTP+SSE session ends with its stream: no other process can resume it.
    if (store !== undefined && session.transport === 'streamable') {
      session.conversation.save = () => store.save(session);
      session.conversation.refresh = () => this.#refresh(session);
    }
    this.#byPrincipal.set(principal.id, (this.#byPrincipal.get(principal.id) ?? new Set()).add(session));
    return session;
  }

  /** Returns whether a session is initialized, and stored where a store is shared. */
  isEstablished({ conversation, until }: HttpSession): boolean {
    return conversation.version !== undefined && (this.#store === undefined || until > 0);
  }

  /** Returns the session of that id; a promise where the store must be queried. */
  find(id: string, peer: Peer): HttpSession | Promise<HttpSession | undefined> | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return this.#load(id, peer);
    if (!session.isOf(peer)) return undefined;
    session.seen = Date.now();
    if (!session.isOutdated) return session;
    return this.#refresh(session).then(() => (this.#sessions.has(id) ? session : undefined));
  }

  /** Ends a session, for all processes. */
  async end(session: HttpSession): Promise<void> {
    this.drop(session);
    await this.#store?.end(session);
  }

  /** Handles a notification or response, here or in the process that waits for it. */
  receive(session: HttpSession, message: WireNotification | WireResponse): Promise<void> | undefined {
    return session.conversation.receive(message) ? undefined : this.#store?.forward(session, message);
  }

  /** Returns the session of a key that another process sent. */
  ofKey(key: string): HttpSession | undefined {
    return this.#byKey.get(key);
  }

  /** Closes a session in this process. A stored session can be loaded again. */
  drop(session: HttpSession): void {
    this.#sessions.delete(session.id);
    this.#byKey.delete(session.key);
    const { id } = session.conversation.peer.principal;
    const share = this.#byPrincipal.get(id);
    if (share?.delete(session) === true && share.size === 0) this.#byPrincipal.delete(id);
    session.close();
  }

  clients(): RecentClient[] {
    return [...this.#sessions.values()].flatMap(({ client }) => client ?? []);
  }

  /** Drops idle sessions, and extends the stored state of the others. */
  expireIdle(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      const usedAt = session.isInUse ? now : session.seen;
      if (usedAt < now - this.#idleMs) this.drop(session);
      // A failed write is retried well before the stored state expires.
      else this.#store?.extend(session, usedAt).catch(() => undefined);
    }
  }

  /** Ends the standalone streams. */
  stopListening(): void {
    for (const session of this.#sessions.values()) session.stopListening();
  }

  /** Aborts the requests of all sessions, which are still answered. */
  abortRequests(reason: Error): void {
    for (const { conversation } of this.#sessions.values()) conversation.abortRequests(reason);
  }

  closeAll(): void {
    this.#stopListeningToStore?.();
    for (const session of this.#sessions.values()) this.drop(session);
  }

  /** Loads a session of another process. Concurrent requests share one query. */
  #load(id: string, peer: Peer): Promise<HttpSession | undefined> | undefined {
    const store = this.#store;
    if (store === undefined) return undefined;
    const key = sessionKey(id);
    const loadKey = JSON.stringify([key, peer.principal.id, peer.view.profile]);
    const loading = this.#loading.get(loadKey) ?? this.#adopt(id, peer, store.find(key));
    this.#loading.set(loadKey, loading);
    return loading.finally(() => this.#loading.delete(loadKey));
  }

  async #adopt(id: string, peer: Peer, query: Promise<FoundSession | undefined>): Promise<HttpSession | undefined> {
    const found = await query;
    const { principal, profile } = found?.record ?? {};
    if (found === undefined || principal !== peer.principal.id || profile !== (peer.view.profile ?? null))
      return undefined;
    const session = this.begin(peer, { id });
    session.since = found.record.since;
    continueFrom(session, found);
    return session;
  }

  async #refresh(session: HttpSession): Promise<void> {
    session.isOutdated = false;
    try {
      const found = await this.#store?.find(session.key);
      if (found === undefined) this.drop(session);
      // A session that ended in the meantime must not subscribe again.
      else if (this.#sessions.get(session.id) === session) continueFrom(session, found);
    } catch (error) {
      session.isOutdated = true;
      throw error;
    }
  }

  #receiveNote(key: string, note: SessionNote): void {
    const session = this.#byKey.get(key);
    if (session === undefined) return;
    if (note.kind === 'message') session.conversation.receive(note.message);
    else if (note.kind === 'ended') this.drop(session);
    else this.#markOutdated(session);
  }

  /** Refreshes all sessions, because notes of other processes were lost. */
  #refreshAll(): void {
    for (const session of this.#sessions.values()) this.#markOutdated(session);
  }

  #markOutdated(session: HttpSession): void {
    // A session that is not stored yet is unknown to other processes.
    if (session.until === 0) return;
    session.isOutdated = true;
    // A client that only listens sends no request that would refresh its session. After a failure, the next request refreshes it.
    if (session.isInUse) this.#refresh(session).catch(() => undefined);
  }

  #largestShare(): ReadonlySet<HttpSession> {
    let largest: ReadonlySet<HttpSession> = new Set();
    for (const share of this.#byPrincipal.values()) if (share.size > largest.size) largest = share;
    return largest;
  }

  #makeRoom(share: ReadonlySet<HttpSession>): void {
    let oldest: HttpSession | undefined;
    for (const session of share)
      if (!session.isInUse && (oldest === undefined || session.seen < oldest.seen)) oldest = session;
    if (oldest === undefined)
      throw new Refusal(503, wireCodes.server, `all ${share.size} allowed sessions are in use; try again later`);
    this.drop(oldest);
    // If this fails, the stored state expires.
    this.#store?.endUnused(oldest).catch(() => undefined);
  }
}

/** Continues from the state that another process stored. */
function continueFrom(session: HttpSession, { record, shown, until }: FoundSession): void {
  session.until = until;
  session.conversation.restore(record, shown);
}
