import { dropOldest } from './drop-oldest.ts';

const mostFailures = 20;
const windowMs = 60_000;
const mostRemembered = 10_000;

/**
 * Counts wrong tokens. A peer that sent too many is told to wait out the minute when it sends another wrong one. Right tokens
 * never wait: on one machine, or behind one proxy, every program is the same peer.
 */
export class FailedAttempts {
  readonly #now: () => number;
  readonly #peers = new Map<string, { failures: number; readonly since: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts a wrong token. Returns how many seconds the peer has to wait, 0 while it sent few. */
  failed(peer: string): number {
    const key = keyOf(peer);
    const now = this.#now();
    const counted = this.#peers.get(key);
    if (counted !== undefined && now - counted.since < windowMs) {
      if (counted.failures >= mostFailures) return Math.ceil((counted.since + windowMs - now) / 1000);
      counted.failures += 1;
      return 0;
    }
    this.#peers.delete(key);
    dropOldest(this.#peers, mostRemembered);
    this.#peers.set(key, { failures: 1, since: now });
    return 0;
  }
}

/** Who has one address of IPv6 has all of its network. */
function keyOf(peer: string): string {
  return peer.includes('.') ? peer : peer.split(':').slice(0, 4).join(':');
}
