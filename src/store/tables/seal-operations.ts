import { type Seal, type Sealer, advancedSeal, prunedSeal } from '../../journal/integrity/seal.ts';
import { type Beginning, unprunedJournal } from '../../journal/store/drop-request.ts';
import type { ChainHead } from '../../journal/store/store.ts';
import {
  type Dialect,
  type Operation,
  type Statement,
  type TableDatabase,
  change,
  execute,
  select,
} from './table-database.ts';

/** The newest sealed head of each key, and the last dropped entry, which is missing while the journal is complete. */
export function sealSchema({ integer, rowTable, keyTable }: Dialect): string {
  return `
CREATE TABLE seals (
  key text PRIMARY KEY, seq ${integer} NOT NULL, hash text NOT NULL, beginning ${integer} NOT NULL, beginning_hash text NOT NULL,
  mac text NOT NULL
) ${keyTable};

CREATE TABLE beginning (
  id integer PRIMARY KEY CHECK (id = 1), seq ${integer} NOT NULL, hash text NOT NULL, at ${integer} NOT NULL
) ${rowTable};
`;
}

const columns = 'key, seq, hash, beginning, beginning_hash AS "beginningHash", mac';
export const selectSeals = `SELECT ${columns} FROM seals ORDER BY key`;
export const selectBeginning = 'SELECT seq, hash, at FROM beginning';

export async function readBeginning(database: TableDatabase): Promise<Beginning> {
  return (await database.rows<Beginning>(selectBeginning))[0] ?? unprunedJournal;
}

/** Seals a head. Returns whether the journal has a seal of this key. */
export function* sealHead(sealer: Sealer, head: ChainHead, dialect: Dialect): Operation<boolean> {
  const [[known], [beginning = unprunedJournal]] = yield* execute(
    selectSeal(sealer, dialect),
    select<Beginning>(selectBeginning),
  );
  const atKnown = select<{ hash: string }>('SELECT hash FROM journal WHERE seq = ?', [known?.seq ?? 0]);
  const [[entry]] = yield* execute(atKnown);
  const seal = advancedSeal(sealer, head, { known, hashAtKnown: entry?.hash, beginning });
  if (seal !== undefined) yield* execute(store(seal));
  return known !== undefined || seal !== undefined;
}

/** Seals the new beginning of the journal, if this key has sealed the previous one. */
export function* sealBeginning(sealer: Sealer, from: ChainHead, to: ChainHead, dialect: Dialect): Operation<void> {
  const [[known]] = yield* execute(selectSeal(sealer, dialect));
  const seal = known && prunedSeal(sealer, known, from, to);
  if (seal !== undefined) yield* execute(store(seal));
}

function selectSeal({ key }: Sealer, { forUpdate }: Dialect): Statement<Seal[]> {
  return select(`SELECT ${columns} FROM seals WHERE key = ? ${forUpdate}`, [key]);
}

function store({ key, seq, hash, beginning, beginningHash, mac }: Seal): Statement<boolean> {
  return change(
    `INSERT INTO seals VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
     seq = excluded.seq, hash = excluded.hash, beginning = excluded.beginning, beginning_hash = excluded.beginning_hash, mac = excluded.mac
     WHERE seals.seq <= excluded.seq`,
    [key, seq, hash, beginning, beginningHash, mac],
  );
}
