import type { ServerResponse } from 'node:http';
import { hashOf, newSecretId } from './secret-ids.ts';

/** How long a signed-in browser may be idle, in seconds. */
export const idleSeconds = 30 * 24 * 60 * 60;

/** Where it is kept who is signed in, by the hash of each id: when it was last seen. */
export interface KeptSignIns {
  read(): ReadonlyMap<string, number>;
  write(lastSeen: ReadonlyMap<string, number>): void;
}

/** So much later than it is, a browser may have been seen last according to what is kept. */
const keepEveryMs = 60 * 60 * 1000;

/** The browsers that are signed in. Without a place to keep them, the end of the process signs them all out. */
export class BrowserSessions {
  readonly #lastSeen: Map<string, number>;
  readonly #now: () => number;
  readonly #kept: KeptSignIns | undefined;
  readonly #token: string;
  /** What a browser has under way, by the hash of its id. */
  readonly #open = new Map<string, Set<ServerResponse>>();
  #keptAt: number;

  /** Whoever was signed in under another admin token is not: a server that changed it lets nobody in whom it let in before. */
  constructor(now: () => number = Date.now, kept?: KeptSignIns, token = '') {
    this.#now = now;
    this.#kept = kept;
    this.#token = token;
    this.#lastSeen = new Map(kept?.read());
    this.#keptAt = now();
  }

  /** Signs a browser in; the id goes into its cookie. */
  open(): string {
    for (const [hash, seen] of this.#lastSeen) if (this.#expired(seen)) this.#lastSeen.delete(hash);
    const id = newSecretId();
    this.#lastSeen.set(this.#hash(id), this.#now());
    this.#keep();
    return id;
  }

  /** Whether the id is of a signed-in browser; being seen keeps it signed in. */
  touch(id: string): boolean {
    const hash = this.#hash(id);
    const seen = this.#lastSeen.get(hash);
    if (seen === undefined) return false;
    if (this.#expired(seen)) {
      this.#lastSeen.delete(hash);
      return false;
    }
    this.#lastSeen.set(hash, this.#now());
    if (this.#now() - this.#keptAt > keepEveryMs) this.#keep();
    return true;
  }

  /** Ends an answer, streams included, when its browser is signed out. */
  endWith(id: string, response: ServerResponse): void {
    // Whoever hung up before has told so already.
    if (response.closed) return;
    const hash = this.#hash(id);
    const open = this.#open.get(hash) ?? new Set();
    this.#open.set(hash, open.add(response));
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(hash);
    });
  }

  /** Signs a browser out; what it has under way ends, but for the answer that tells it so. */
  close(id: string, answer: ServerResponse): void {
    const hash = this.#hash(id);
    if (!this.#lastSeen.delete(hash)) return;
    this.#keep();
    for (const response of this.#open.get(hash) ?? []) if (response !== answer) response.destroy();
  }

  #hash(id: string): string {
    return hashOf(`${id} ${this.#token}`);
  }

  #keep(): void {
    this.#keptAt = this.#now();
    this.#kept?.write(this.#lastSeen);
  }

  #expired(seen: number): boolean {
    return this.#now() - seen > idleSeconds * 1000;
  }
}
