import type { CallOutcome } from '../../core/calls/call-outcome.ts';

const mostResults = 1000;
const mostCharacters = 8 * 1024 * 1024;

interface Kept {
  readonly outcome: CallOutcome;
  readonly until: number;
  readonly size: number;
}

/** Results of one server's reads, until they are too old, too many, or something was changed at the server. */
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

  /** Begins a read; what it returns keeps the result, unless something was changed in the meantime. */
  reading(key: string): (outcome: CallOutcome, until: number) => void {
    const generation = this.#generation;
    return (outcome, until) => {
      if (this.#writing === 0 && this.#generation === generation) this.#keep(key, outcome, until);
    };
  }

  /** Something may change at the server from now until what it returns is called: nothing read before then holds. */
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
    if (size > mostCharacters) return;
    const before = this.#kept.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#kept.set(key, { outcome, until, size });
    this.#size += size;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= mostResults && this.#size <= mostCharacters) return;
      this.#drop(oldest, kept);
    }
  }

  #drop(key: string, { size }: Kept): void {
    this.#kept.delete(key);
    this.#size -= size;
  }
}
