import type { Peer } from '../caller.ts';
import type { SeenClient } from '../seen-client.ts';
import { Refusal, wireCodes } from '../wire.ts';
import type { HttpSession } from './http-session.ts';

/** How many sessions there may be, and how long one may be idle. */
export interface SessionLimits {
  /** 10,000 unless said otherwise. */
  readonly most?: number;
  /** Of one principal; a tenth of all unless said otherwise. */
  readonly mostOfOne?: number;
  /** Half an hour unless said otherwise. */
  readonly idleMs?: number;
}

/** The sessions of all clients. Each belongs to the principal that began it: for everybody else it does not exist. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byPrincipal = new Map<string, Set<HttpSession>>();
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #idleMs: number;

  constructor({ most = 10_000, mostOfOne = Math.ceil(most / 10), idleMs = 30 * 60_000 }: SessionLimits = {}) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
    this.#idleMs = idleMs;
  }

  /**
   * Begins a session. If there is no room, it takes the place of the one that was idle longest: of the same principal when that
   * has its share, or else of whoever has most.
   */
  begin({ principal }: Peer, make: () => HttpSession): HttpSession {
    const own = this.#byPrincipal.get(principal.id);
    if (own !== undefined && own.size >= this.#mostOfOne) this.#makeRoom(own);
    else if (this.#sessions.size >= this.#most) this.#makeRoom(this.#largestShare());
    const session = make();
    this.#sessions.set(session.id, session);
    this.#byPrincipal.set(principal.id, (this.#byPrincipal.get(principal.id) ?? new Set()).add(session));
    return session;
  }

  find(id: string, peer: Peer): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.isOf(peer) !== true) return undefined;
    session.seen = Date.now();
    return session;
  }

  end(session: HttpSession): void {
    this.#sessions.delete(session.id);
    const { id } = session.conversation.peer.principal;
    const share = this.#byPrincipal.get(id);
    if (share?.delete(session) === true && share.size === 0) this.#byPrincipal.delete(id);
    session.close();
  }

  clients(): SeenClient[] {
    return [...this.#sessions.values()].flatMap(({ client }) => client ?? []);
  }

  closeIdle(): void {
    const before = Date.now() - this.#idleMs;
    for (const session of this.#sessions.values()) if (session.seen < before && !session.isInUse) this.end(session);
  }

  /** Ends the streams that belong to no request. */
  stopListening(): void {
    for (const session of this.#sessions.values()) session.stopListening();
  }

  closeAll(): void {
    for (const session of this.#sessions.values()) this.end(session);
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
    this.end(oldest);
  }
}
