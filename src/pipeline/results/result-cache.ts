import type { CallOutcome } from '../../core/calls/call-outcome.ts';

const maxResults = 1000;
const maxCharacters = 8 * 1024 * 1024;

interface Kept {
  readonly outcome: CallOutcome;
  readonly until: number;
  readonly size: number;
}

/** Results of one server's reads. They expire, are evicted when there are too many, and are dropped when a call with an effect runs. */
export class ResultCache {
  readonly #kept = new Map<string, Kept>();
  #size = 0;
  #writing = 0;
  #generation = 0;

  get(key: string, now: number): CallOutcome | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > now) return kept.outcome;
    this.#drop(key, kept);
    return undefined;
  }

  /** Begins a read. The returned function stores its result, unless a call with an effect ran meanwhile. */
  reading(key: string): (outcome: CallOutcome, until: number) => void {
    const generation = this.#generation;
    return (outcome, until) => {
      if (this.#writing === 0 && this.#generation === generation) this.#keep(key, outcome, until);
    };
  }

  /** Begins a call with an effect: nothing is cached until the returned function is called. */
  writing(): () => void {
    this.#writing += 1;
    this.#forget();
    return () => {
      this.#writing -= 1;
      this.#forget();
    };
  }

  #forget(): void {
    this.#generation += 1;
    this.#kept.clear();
    this.#size = 0;
  }

  #keep(key: string, outcome: CallOutcome, until: number): void {
    const size = key.length + JSON.stringify(outcome).length;
    if (size > maxCharacters) return;
    const before = this.#kept.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#kept.set(key, { outcome, until, size });
    this.#size += size;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= maxResults && this.#size <= maxCharacters) return;
      this.#drop(oldest, kept);
    }
  }

  #drop(key: string, { size }: Kept): void {
    this.#kept.delete(key);
    this.#size -= size;
  }
}
