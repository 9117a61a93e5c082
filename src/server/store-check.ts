import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';

const freshMs = 1000;
const patienceMs = 2000;

/** Whether the journal can be read. However often that is asked, the store is asked at most once a second, and not waited for for long. */
export class StoreCheck {
  readonly #box: InternalSignalbox;
  #asked: Promise<boolean> = Promise.resolve(false);
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(box: InternalSignalbox) {
    this.#box = box;
  }

  isReadable(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#askedAt >= freshMs) {
      this.#askedAt = now;
      this.#asked = this.#ask();
    }
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), patienceMs);
    const read = this.#box.journal.query({ limit: 1 }).then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([read, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
