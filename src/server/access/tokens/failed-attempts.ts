import { evictOldest } from '../evict-oldest.ts';

const maxFailures = 20;
const windowMs = 60_000;
const maxPeers = 10_000;

/**
 * Rate-limits wrong tokens by peer address. Valid tokens are never delayed: all programs on one machine, or behind one proxy, are
 * the same peer.
 */
export class FailedAttempts {
  readonly #now: () => number;
  readonly #peers = new Map<string, { failures: number; readonly since: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts a wrong token. Returns how many seconds the peer has to wait; 0 below the limit. */
  count(peer: string): number {
    const key = keyOf(peer);
    const now = this.#now();
    const counted = this.#peers.get(key);
    if (counted !== undefined && now - counted.since < windowMs) {
      if (counted.failures >= maxFailures) return Math.ceil((counted.since + windowMs - now) / 1000);
      counted.failures += 1;
      return 0;
    }
    this.#peers.delete(key);
    evictOldest(this.#peers, maxPeers);
    this.#peers.set(key, { failures: 1, since: now });
    return 0;
  }
}

/** Returns the /64 network of an IPv6 address, because a client usually controls all of it. */
function keyOf(peer: string): string {
  return peer.includes('.') ? peer : peer.split(':').slice(0, 4).join(':');
}
