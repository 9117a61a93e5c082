import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { isBareName } from './path-arguments.ts';
import { foldName, listDirectory, statOf } from './real-path.ts';
import type { NameSearch } from './text-names.ts';

const maxEntries = 10_000;
const checkEveryMs = 10;
/** A directory may change again within the resolution of its modification time. */
const timestampResolutionMs = 50;

/** The names in a directory, as they were when it was listed. */
interface Listing {
  readonly modifiedMs: number;
  readonly listedMs: number;
  readonly names: ReadonlySet<string>;
}

/** The base directories of one server, and the names that its reads must not contain. */
interface PathContext {
  /** The base directories of the server. */
  readonly bases: ReadonlySet<string>;
  readonly search: NameSearch;
}

interface CachedContext extends PathContext {
  readonly version: unknown;
  readonly workspace: readonly string[];
  /** The time of the next check of the listings. */
  checkAtMs: number;
  /** Undefined when one of the directories is too large to be listed. */
  listings: readonly Listing[] | undefined;
}

interface Read {
  readonly arguments: JsonObject;
  readonly server: string;
  readonly workspace: readonly string[];
}

/**
 * Recognizes reads that cannot name a file: every string is a bare name, and no base directory has an entry of that name. This applies to most
 * reads. The directories are checked for changes at most every 10 ms, because a system call for each read would dominate its cost.
 */
export class PathFreeReads {
  readonly #listings = new Map<string, Listing>();
  readonly #byServer = new Map<string, CachedContext>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns whether a read names no file. `readContext` is called again for another `version` of the configuration. */
  isPathFree({ arguments: args, server, workspace }: Read, version: unknown, readContext: () => PathContext): boolean {
    let known = this.#byServer.get(server);
    if (known === undefined || known.version !== version || known.workspace !== workspace) {
      known = { ...readContext(), version, workspace, checkAtMs: 0, listings: undefined };
      this.#byServer.set(server, known);
    }
    const now = this.#now();
    if (now >= known.checkAtMs) {
      known.checkAtMs = now + checkEveryMs;
      known.listings = this.#listingsOf(known.bases);
    }
    return known.listings !== undefined && areBareNames(args, '', known.search, known.listings);
  }

  #listingsOf(directories: ReadonlySet<string>): readonly Listing[] | undefined {
    const listings: Listing[] = [];
    for (const directory of directories) {
      const listing = this.#listingOf(directory);
      if (listing === undefined) return undefined;
      listings.push(listing);
    }
    return listings;
  }

  #listingOf(directory: string): Listing | undefined {
    const modifiedMs = statOf(directory)?.mtimeMs ?? 0;
    const known = this.#listings.get(directory);
    if (known?.modifiedMs === modifiedMs && known.listedMs - modifiedMs > timestampResolutionMs) return known;
    const listedMs = Date.now();
    const entries = listDirectory(directory);
    if (entries === undefined || entries.length > maxEntries) return undefined;
    const listing = { modifiedMs, listedMs, names: new Set(entries.map(foldName)) };
    this.#listings.set(directory, listing);
    return listing;
  }
}

/** Returns whether every string in a value is a bare name that is in no listing, and every key is only a name. */
function areBareNames(value: JsonValue, key: string, search: NameSearch, listings: readonly Listing[]): boolean {
  if (typeof value === 'string') {
    if (value === '') return true;
    if (!isBareName(value, key) || search.isIn(value)) return false;
    const name = foldName(value);
    for (const { names } of listings) if (names.has(name)) return false;
    return true;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((each) => areBareNames(each, key, search, listings));
  const object = value as JsonObject;
  // A hot path: allocating a list of the entries would take most of the time.
  for (const name in object)
    if (!isBareName(name, '') || !areBareNames(object[name] ?? null, name, search, listings)) return false;
  return true;
}
