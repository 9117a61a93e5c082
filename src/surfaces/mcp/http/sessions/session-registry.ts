import type { Peer } from '../../requests/request-context.ts';
import type { SeenClient } from '../../protocol/client-info.ts';
import type { McpEndpoint } from '../../mcp-endpoint.ts';
import { Refusal, type WireNotification, type WireResponse, wireCodes } from '../../protocol/wire-messages.ts';
import { type HttpSessionOptions, HttpSession, sessionKey } from './http-session.ts';
import { type FoundSession, KeptSessions, type SessionNote } from './session-store.ts';

/** How many sessions there may be, and how long one may be idle. */
export interface SessionLimits {
  /** 10,000 unless said otherwise. */
  readonly most?: number;
  /** Of one principal; a tenth of all unless said otherwise. */
  readonly mostOfOne?: number;
  /** Half an hour unless said otherwise. */
  readonly idleMs?: number;
}

/**
 * The sessions of all clients. Each belongs to the principal that began it: for everybody else it does not exist. Where they are
 * kept for other processes, this one holds those that it began or that came to it, and asks the store about others once.
 */
export class HttpSessions {
  readonly #endpoint: McpEndpoint;
  readonly #kept: KeptSessions | undefined;
  readonly #stopHearing: (() => void) | undefined;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byKey = new Map<string, HttpSession>();
  readonly #comingIn = new Map<string, Promise<HttpSession | undefined>>();
  readonly #byPrincipal = new Map<string, Set<HttpSession>>();
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #idleMs: number;

  constructor(
    endpoint: McpEndpoint,
    { most = 10_000, mostOfOne = Math.ceil(most / 10), idleMs = 30 * 60_000 }: SessionLimits = {},
  ) {
    this.#endpoint = endpoint;
    this.#most = most;
    this.#mostOfOne = mostOfOne;
    this.#idleMs = idleMs;
    const { shared, relay } = endpoint;
    if (shared === undefined || relay === undefined) return;
    this.#kept = new KeptSessions(shared, relay.place, idleMs);
    this.#stopHearing = this.#kept.listen(
      (key, note) => this.#heard(key, note),
      () => this.#missed(),
    );
  }

  /**
   * Begins a session. If there is no room, it takes the place of the one that was idle longest: of the same principal when that
   * has its share, or else of whoever has most.
   */
  begin(peer: Peer, options: HttpSessionOptions = {}): HttpSession {
    const { principal } = peer;
    const own = this.#byPrincipal.get(principal.id);
    if (own !== undefined && own.size >= this.#mostOfOne) this.#makeRoom(own);
    else if (this.#sessions.size >= this.#most) this.#makeRoom(this.#largestShare());
    const session = new HttpSession(this.#endpoint, peer, options);
    this.#sessions.set(session.id, session);
    this.#byKey.set(session.key, session);
    const kept = this.#kept;
    // An HTTP+SSE session ends with its stream: no other process can resume it.
    if (kept !== undefined && session.transport === 'streamable') {
      session.conversation.save = () => kept.keep(session);
      session.conversation.refresh = () => this.#refresh(session);
    }
    this.#byPrincipal.set(principal.id, (this.#byPrincipal.get(principal.id) ?? new Set()).add(session));
    return session;
  }

  /** Whether a session was agreed on, and is kept where it should be. */
  isBegun({ conversation, until }: HttpSession): boolean {
    return conversation.version !== undefined && (this.#kept === undefined || until > 0);
  }

  /** The session of that id; a promise of it where another process has to be asked. */
  find(id: string, peer: Peer): HttpSession | Promise<HttpSession | undefined> | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return this.#comeIn(id, peer);
    if (!session.isOf(peer)) return undefined;
    session.seen = Date.now();
    if (!session.isOutdated) return session;
    return this.#refresh(session).then(() => (this.#sessions.has(id) ? session : undefined));
  }

  /** Ends a session, for all processes. */
  async end(session: HttpSession): Promise<void> {
    this.drop(session);
    await this.#kept?.end(session);
  }

  /** Takes what a client tells or answers, here or where it is waited for. */
  take(session: HttpSession, message: WireNotification | WireResponse): Promise<void> | undefined {
    return session.conversation.receive(message) ? undefined : this.#kept?.passOn(session, message);
  }

  /** What another process asks for. */
  ofKey(key: string): HttpSession | undefined {
    return this.#byKey.get(key);
  }

  /** Lets go of a session; where it is kept, it can come back. */
  drop(session: HttpSession): void {
    this.#sessions.delete(session.id);
    this.#byKey.delete(session.key);
    const { id } = session.conversation.peer.principal;
    const share = this.#byPrincipal.get(id);
    if (share?.delete(session) === true && share.size === 0) this.#byPrincipal.delete(id);
    session.close();
  }

  clients(): SeenClient[] {
    return [...this.#sessions.values()].flatMap(({ client }) => client ?? []);
  }

  /** Lets go of those that were idle for long, and has the others kept for longer. */
  tend(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      const usedAt = session.isInUse ? now : session.seen;
      if (usedAt < now - this.#idleMs) this.drop(session);
      // What cannot be written now is tried again, long before the time is over.
      else this.#kept?.extend(session, usedAt).catch(() => undefined);
    }
  }

  /** Ends the streams that belong to no request. */
  stopListening(): void {
    for (const session of this.#sessions.values()) session.stopListening();
  }

  closeAll(): void {
    this.#stopHearing?.();
    for (const session of this.#sessions.values()) this.drop(session);
  }

  /** Goes on with a session of another process. However many requests of it come at once, the store is asked once. */
  #comeIn(id: string, peer: Peer): Promise<HttpSession | undefined> | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    const key = sessionKey(id);
    const asking = JSON.stringify([key, peer.principal.id, peer.view.profile]);
    const comingIn = this.#comingIn.get(asking) ?? this.#found(id, peer, kept.find(key));
    this.#comingIn.set(asking, comingIn);
    return comingIn.finally(() => this.#comingIn.delete(asking));
  }

  async #found(id: string, peer: Peer, looking: Promise<FoundSession | undefined>): Promise<HttpSession | undefined> {
    const found = await looking;
    const { principal, profile } = found?.record ?? {};
    if (found === undefined || principal !== peer.principal.id || profile !== (peer.view.profile ?? null))
      return undefined;
    const session = this.begin(peer, { id });
    session.since = found.record.since;
    takeOver(session, found);
    return session;
  }

  async #refresh(session: HttpSession): Promise<void> {
    session.isOutdated = false;
    try {
      const found = await this.#kept?.find(session.key);
      if (found === undefined) this.drop(session);
      // One that ended meanwhile watches nothing any more.
      else if (this.#sessions.get(session.id) === session) takeOver(session, found);
    } catch (error) {
      session.isOutdated = true;
      throw error;
    }
  }

  #heard(key: string, note: SessionNote): void {
    const session = this.#byKey.get(key);
    if (session === undefined) return;
    if (note.kind === 'message') session.conversation.receive(note.message);
    else if (note.kind === 'ended') this.drop(session);
    else this.#changed(session);
  }

  /** Some may have ended, or changed. */
  #missed(): void {
    for (const session of this.#sessions.values()) this.#changed(session);
  }

  #changed(session: HttpSession): void {
    // One that is just beginning is known to nobody else.
    if (session.until === 0) return;
    session.isOutdated = true;
    // Whoever only listens makes no requests. One that stays outdated is looked at with its next one.
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
      throw new Refusal(503, wireCodes.server, `${share.size} sessions are in use, which is the most; try again later`);
    this.drop(oldest);
    // One that stays is over when its time is.
    this.#kept?.endUnused(oldest).catch(() => undefined);
  }
}

/** Goes on where another process left it. */
function takeOver(session: HttpSession, { record, shown, until }: FoundSession): void {
  session.until = until;
  session.conversation.restore(record, shown);
}
