import type { Sealer } from '../../../journal/integrity/seal.ts';
import type { ChainHead } from '../../../journal/store/store.ts';
import { sealHead } from '../../tables/seal-operations.ts';
import { execute, select } from '../../tables/table-database.ts';
import type { PostgresDatabase } from '../postgres-database.ts';

const sealEveryMs = 1000;

/**
 * Seals the journal. The database links the entries and must not know the key, so each process seals the head periodically,
 * outside of appends. At most the last second before a crash is not sealed.
 */
export class PeriodicSeal {
  readonly #database: PostgresDatabase;
  readonly #sealer: Sealer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sealing: Promise<void> = Promise.resolve();
  #isNoted = false;

  constructor(database: PostgresDatabase, sealer: Sealer | undefined) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Schedules a seal of the head. Called after every append, so it must be cheap. */
  schedule(): void {
    if (this.#sealer === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sealing = this.#seal().catch(() => undefined);
    }, sealEveryMs).unref();
  }

  /** Seals the rest. */
  async close(): Promise<void> {
    const isDue = this.#timer !== undefined;
    clearTimeout(this.#timer);
    await this.#sealing;
    // When the database is down, the next process continues from the last seal.
    if (isDue) await this.#seal().catch(() => undefined);
  }

  async #seal(): Promise<void> {
    const sealer = this.#sealer;
    if (sealer === undefined) return;
    const { dialect } = this.#database;
    const isSealed = await this.#database.run(function* () {
      const [[head]] = yield* execute(
        select<ChainHead>(
          'SELECT journal.seq, journal.hash FROM journal JOIN head ON head.seq = journal.seq AND head.hash = journal.hash',
        ),
      );
      return head !== undefined && (yield* sealHead(sealer, head, dialect));
    });
    if (!isSealed || this.#isNoted) return;
    sealer.noteSealed();
    this.#isNoted = true;
  }
}
