import { dropOldest } from './drop-oldest.ts';
import { hashOf } from './secret-ids.ts';

const mostFailures = 20;
const windowMs = 60_000;
const mostRemembered = 10_000;

/**
 * Counts wrong tokens, so that nobody can try many. A peer with too many waits out the minute; tokens that were right before are
 * let through meanwhile, because on one machine every program is the same peer.
 */
export class FailedAttempts {
  readonly #now: () => number;
  readonly #peers = new Map<string, { failures: number; readonly since: number }>();
  readonly #good = new Set<string>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** How many seconds the peer has to wait before another token of it is looked at; 0 when it need not. */
  waitSeconds(peer: string, presented: string): number {
    const counted = this.#peers.get(keyOf(peer));
    if (counted === undefined || counted.failures < mostFailures) return 0;
    const leftMs = counted.since + windowMs - this.#now();
    return leftMs <= 0 || this.#good.has(hashOf(presented)) ? 0 : Math.ceil(leftMs / 1000);
  }

  failed(peer: string): void {
    const key = keyOf(peer);
    const now = this.#now();
    const counted = this.#peers.get(key);
    if (counted !== undefined && now - counted.since < windowMs) {
      counted.failures += 1;
      return;
    }
    this.#peers.delete(key);
    dropOldest(this.#peers, mostRemembered);
    this.#peers.set(key, { failures: 1, since: now });
  }

  succeeded(presented: string): void {
    const hash = hashOf(presented);
    if (this.#good.has(hash)) return;
    dropOldest(this.#good, mostRemembered);
    this.#good.add(hash);
  }
}

/** Who has one address of IPv6 has all of its network. */
function keyOf(peer: string): string {
  return peer.includes('.') ? peer : peer.split(':').slice(0, 4).join(':');
}
