import type { Peer } from '../caller.ts';
import type { SeenClient } from '../seen-client.ts';
import { Refusal, wireCodes } from '../wire.ts';
import type { HttpSession } from './http-session.ts';

/** How many sessions there may be, and how long one may be idle. */
export interface SessionLimits {
  /** 10,000 unless said otherwise. */
  readonly most?: number;
  /** Half an hour unless said otherwise. */
  readonly idleMs?: number;
}

/** The sessions of all clients. Each belongs to the principal that began it: for everybody else it does not exist. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #most: number;
  readonly #idleMs: number;

  constructor({ most = 10_000, idleMs = 30 * 60_000 }: SessionLimits = {}) {
    this.#most = most;
    this.#idleMs = idleMs;
  }

  /** Begins a session, in the place of the one that was idle longest if there is no room. */
  begin(make: () => HttpSession): HttpSession {
    if (this.#sessions.size >= this.#most) this.#makeRoom();
    const session = make();
    this.#sessions.set(session.id, session);
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

  #makeRoom(): void {
    let oldest: HttpSession | undefined;
    for (const session of this.#sessions.values())
      if (!session.isInUse && (oldest === undefined || session.seen < oldest.seen)) oldest = session;
    if (oldest === undefined)
      throw new Refusal(503, wireCodes.server, `${this.#most} sessions are in use, which is the most; try again later`);
    this.end(oldest);
  }
}
