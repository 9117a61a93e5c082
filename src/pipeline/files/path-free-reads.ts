import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { isBareName } from './path-arguments.ts';
import { DirectoryListings, type Listing } from './directory-listings.ts';
import { foldName } from './real-path.ts';
import type { NameSearch } from './text-names.ts';

const checkEveryMs = 10;
/** The base directories of one server, and the names that its reads must not contain. */
interface PathContext {
  /** The base directories of the server. */
  readonly bases: ReadonlySet<string>;
  readonly search: NameSearch;
}

interface CachedContext extends PathContext {
  readonly version: unknown;
  readonly workspace: readonly string[];
  readonly visited: number;
  /** The time of the next check of the listings. */
  checkAtMs: number;
  /** Undefined when one of the directories is too large to be listed. */
  names: Names | undefined;
}

interface Read {
  readonly arguments: JsonObject;
  readonly server: string;
  readonly workspace: readonly string[];
}

/** The names in the directories, and the listings that they come from. */
interface Names {
  readonly listings: readonly Listing[];
  readonly names: ReadonlySet<string>;
}

/**
 * Recognizes reads that cannot name a file: every string is a bare name, and no base directory has an entry of that name. This applies to most
 * reads. The directories are checked for changes at most every 10 ms, because a system call for each read would dominate its cost.
 */
export class PathFreeReads {
  readonly #listings: DirectoryListings;
  readonly #byServer = new Map<string, CachedContext>();
  readonly #now: () => number;

  constructor(listings = new DirectoryListings(), now: () => number = () => performance.now()) {
    this.#listings = listings;
    this.#now = now;
  }

  /**
   * Returns whether a read names no file. `readContext` is called again for another `version` of the configuration, and when another
   * number of directories was visited.
   */
  isPathFree(
    { arguments: args, server, workspace }: Read,
    version: unknown,
    visited: number,
    readContext: () => PathContext,
  ): boolean {
    let known = this.#byServer.get(server);
    if (
      known === undefined ||
      known.version !== version ||
      known.workspace !== workspace ||
      known.visited !== visited
    ) {
      known = { ...readContext(), version, workspace, visited, checkAtMs: 0, names: undefined };
      this.#byServer.set(server, known);
    }
    const now = this.#now();
    if (now >= known.checkAtMs) {
      known.checkAtMs = now + checkEveryMs;
      known.names = this.#namesIn(known.bases, known.names);
    }
    return known.names !== undefined && areBareNames(args, '', known.search, known.names.names);
  }

  #namesIn(directories: ReadonlySet<string>, known: Names | undefined): Names | undefined {
    const listings: Listing[] = [];
    for (const directory of directories) {
      const listing = this.#listings.of(directory);
      if (listing === undefined) return undefined;
      listings.push(listing);
    }
    if (known?.listings.every((each, index) => each === listings[index]) === true) return known;
    return { listings, names: new Set(listings.flatMap(({ names }) => [...names])) };
  }
}

/** Returns whether every string in a value is a bare name that is not one of `names`, and every key is only a name. */
function areBareNames(value: JsonValue, key: string, search: NameSearch, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') {
    if (value === '') return true;
    if (!isBareName(value, key) || search.isIn(value)) return false;
    return !names.has(foldName(value));
  }
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((each) => areBareNames(each, key, search, names));
  const object = value as JsonObject;
  // A hot path: allocating a list of the entries would take most of the time.
  for (const name in object)
    if (!isBareName(name, '') || !areBareNames(object[name] ?? null, name, search, names)) return false;
  return true;
}
