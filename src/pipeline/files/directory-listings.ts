import { readdirSync } from 'node:fs';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { foldName, statOf } from './real-path.ts';

const maxEntries = 10_000;
const maxListings = 1000;
/** A directory may change again within the resolution of its modification time. */
const timestampResolutionMs = 50;

/** Units of work, about 10 ns each. */
const statWork = 500;
const listWork = 5000;
const entryWork = 50;

/** The names in a directory, folded, as they were when it was listed. */
export interface Listing {
  readonly modifiedMs: number;
  readonly listedMs: number;
  readonly names: ReadonlySet<string>;
}

/** Caches the names in directories until the directories change. */
export class DirectoryListings {
  readonly #listings = new Map<string, Listing>();

  /** Returns the names in a directory: none when it does not exist, `undefined` when it is too large or cannot be read. */
  of(directory: string, work?: WorkBudget): Listing | undefined {
    if (work?.take(statWork) === false) return undefined;
    const modifiedMs = statOf(directory)?.mtimeMs ?? 0;
    const known = this.#listings.get(directory);
    if (known?.modifiedMs === modifiedMs && known.listedMs - modifiedMs > timestampResolutionMs) return known;
    if (work?.take(listWork) === false) return undefined;
    const listedMs = Date.now();
    const entries = listDirectory(directory);
    work?.take((entries?.length ?? 0) * entryWork);
    if (entries === undefined || entries.length > maxEntries) return undefined;
    const listing = { modifiedMs, listedMs, names: new Set(entries.map(foldName)) };
    if (this.#listings.size >= maxListings) this.#listings.clear();
    this.#listings.set(directory, listing);
    return listing;
  }
}

/** Returns the names in a directory: none when it does not exist, `undefined` when it cannot be read. */
function listDirectory(directory: string): string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined;
  }
}
