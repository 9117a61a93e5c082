import { hashOf, newSecretId } from './secret-ids.ts';

/** How long a signed-in browser may be idle, in seconds. */
export const idleSeconds = 30 * 24 * 60 * 60;

/** The browsers that are signed in. Kept in memory: the end of the process signs them all out. */
export class BrowserSessions {
  readonly #lastSeen = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Signs a browser in; the id goes into its cookie. */
  open(): string {
    for (const [hash, seen] of this.#lastSeen) if (this.#expired(seen)) this.#lastSeen.delete(hash);
    const id = newSecretId();
    this.#lastSeen.set(hashOf(id), this.#now());
    return id;
  }

  /** Whether the id is of a signed-in browser; being seen keeps it signed in. */
  touch(id: string): boolean {
    const hash = hashOf(id);
    const seen = this.#lastSeen.get(hash);
    if (seen === undefined) return false;
    if (this.#expired(seen)) {
      this.#lastSeen.delete(hash);
      return false;
    }
    this.#lastSeen.set(hash, this.#now());
    return true;
  }

  #expired(seen: number): boolean {
    return this.#now() - seen > idleSeconds * 1000;
  }
}
