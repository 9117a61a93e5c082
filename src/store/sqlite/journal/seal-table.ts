import { type Seal, type Sealer, advancedSeal, prunedSeal } from '../../../journal/integrity/seal.ts';
import type { ChainHead } from '../../../journal/store/store.ts';
import type { Statements } from '../statements.ts';

/** The newest sealed head of each key. */
export const sealSchema = `
CREATE TABLE seals (
  key TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, beginning INTEGER NOT NULL, beginning_hash TEXT NOT NULL,
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

const select = 'SELECT key, seq, hash, beginning, beginning_hash AS beginningHash, mac FROM seals';

/** Stores the seals. They change in the transaction that moves the anchor or the beginning, so after a crash no seal is ahead of its entries. */
export class SealTable {
  readonly #statements: Statements;
  readonly #sealer: Sealer | undefined;
  #isNoted = false;

  constructor(statements: Statements, sealer: Sealer | undefined) {
    this.#statements = statements;
    this.#sealer = sealer;
  }

  all(): Seal[] {
    return this.#statements
      .get(`${select} ORDER BY key`)
      .all()
      .map((row) => ({ ...(row as unknown as Seal) }));
  }

  /** Seals the entry with this sequence number. */
  advance(seq: number): void {
    const sealer = this.#sealer;
    const hash = this.#hashAt(seq);
    if (sealer === undefined || hash === undefined) return;
    const known = this.#known(sealer);
    const hashAtKnown = known === undefined ? undefined : this.#hashAt(known.seq);
    const seal = advancedSeal(sealer, { seq, hash }, { known, hashAtKnown, beginning: this.#beginning() });
    if (seal !== undefined) this.#write(seal);
  }

  /** Seals the new beginning of the journal. */
  prune(from: ChainHead, to: ChainHead): void {
    const known = this.#sealer === undefined ? undefined : this.#known(this.#sealer);
    const seal = this.#sealer && known && prunedSeal(this.#sealer, known, from, to);
    if (seal !== undefined) this.#write(seal);
  }

  /** Records outside of the store that it is sealed. Called after the transaction. */
  note(): void {
    if (this.#isNoted || this.#sealer === undefined || this.#known(this.#sealer) === undefined) return;
    this.#sealer.noteSealed();
    this.#isNoted = true;
  }

  #known({ key }: Sealer): Seal | undefined {
    return this.#statements.get(`${select} WHERE key = ?`).get(key) as unknown as Seal | undefined;
  }

  #hashAt(seq: number): string | undefined {
    const row = this.#statements.get('SELECT hash FROM journal WHERE seq = ?').get(seq);
    return row === undefined ? undefined : String(row['hash']);
  }

  #beginning(): ChainHead {
    const row = this.#statements.get('SELECT seq, hash FROM beginning').get() as unknown as ChainHead | undefined;
    return row ?? { seq: 0, hash: '' };
  }

  #write({ key, seq, hash, beginning, beginningHash, mac }: Seal): void {
    this.#statements
      .get('INSERT OR REPLACE INTO seals VALUES (?, ?, ?, ?, ?, ?)')
      .run(key, seq, hash, beginning, beginningHash, mac);
  }
}
