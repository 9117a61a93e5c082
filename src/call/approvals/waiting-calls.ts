import type { KeptStore } from '../../journal/kept-store.ts';

const kind = 'waiting-call';
const leaseMs = 30_000;
const renewMs = 10_000;

/**
 * Which calls wait for which approval, in every process of the store. A process that dies stops renewing its leases, and its
 * calls count as gone half a minute later.
 */
export class WaitingCalls {
  readonly #kept: KeptStore;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(kept: KeptStore) {
    this.#kept = kept;
  }

  async enter(approval: string, call: string): Promise<void> {
    const key = `${approval} ${call}`;
    this.#keys.add(key);
    this.#timer ??= setInterval(() => void this.#renew(), renewMs).unref();
    await this.#put(key);
  }

  async leave(approval: string, call: string): Promise<void> {
    const key = `${approval} ${call}`;
    this.#keys.delete(key);
    if (this.#keys.size === 0) this.stop();
    // An entry that cannot be removed ends with its lease.
    await this.#kept.take(kind, key).catch(() => undefined);
  }

  /** Returns the ids of the approvals that a call waits for. */
  async approvals(): Promise<ReadonlySet<string>> {
    const waiting = await this.#kept.list(kind);
    return new Set(waiting.map(({ key }) => key.slice(0, key.indexOf(' '))));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #renew(): Promise<void> {
    for (const key of this.#keys) await this.#put(key);
  }

  async #put(key: string): Promise<void> {
    // It only tells people whether somebody waits; the call itself goes on.
    await this.#kept.put(kind, key, { text: '', until: Date.now() + leaseMs }).catch(() => undefined);
  }
}
