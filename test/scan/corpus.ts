import { readFileSync } from 'node:fs';
import { flagText } from '../../src/catalog/scan/flag-suspicious.ts';

/** A description from another source, and whether it attacks the model that reads it. */
interface CorpusLine {
  readonly text: string;
  readonly poisoned: boolean;
  /** Its source; lines without a source count together. */
  readonly source?: string;
}

/** The number of flagged descriptions of a source. */
export interface CorpusResult {
  readonly source: string;
  readonly poisoned: boolean;
  readonly flagged: number;
  readonly total: number;
  /** The poisoned descriptions without a flag, or the benign ones with a flag. */
  readonly wrong: readonly string[];
}

/** Scans a file of JSON lines `{"text", "poisoned", "source"}`, and counts by source. */
export function scanCorpus(file: string): CorpusResult[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const rows = lines.flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${file}:${index + 1}`)]));
  const groups = Map.groupBy(rows, ({ source = 'no source', poisoned }) => JSON.stringify([source, poisoned]));
  return [...groups].map(([key, group]) => {
    const [source, poisoned] = JSON.parse(key) as [string, boolean];
    const flagged = group.filter(({ text }) => flagText('it', [text]).length > 0);
    const wrong = group.filter((row) => flagged.includes(row) !== poisoned).map(({ text }) => text);
    return { source, poisoned, flagged: flagged.length, total: group.length, wrong };
  });
}

function readLine(line: string, place: string): CorpusLine {
  const row = JSON.parse(line) as Partial<CorpusLine>;
  if (typeof row.text !== 'string' || typeof row.poisoned !== 'boolean')
    throw new Error(`${place}: expected {"text": "…", "poisoned": true or false, "source": "…"}`);
  return { ...row, text: row.text, poisoned: row.poisoned };
}
