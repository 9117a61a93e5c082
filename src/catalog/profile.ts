import { getOrInsert } from '../core/get-or-insert.ts';
import { matchesAnyName } from '../core/text/name-pattern.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import { type ToolNames, namesOf, recordedNaming } from '../core/tools/tool-names.ts';
import { type CatalogSnapshot, type HiddenTool, nameHiddenTool } from './snapshot.ts';

/** The selection of the catalog for one kind of client. */
export interface ProfileSettings {
  /** The servers whose tools are visible; all by default. The built-in server is always visible. */
  readonly servers?: readonly string[];
  /**
   * Patterns for full names, original or rendered, or for a tool's own name. A pattern that begins with `!` excludes. A tool is visible when no
   * pattern excludes it and, if there are including patterns, one of them matches. The order does not matter: exclusion always wins.
   */
  readonly tools?: readonly string[];
  /** The use of tool search instead of a list of tools: if it saves tokens (`auto`), `always`, or `never`. */
  readonly disclosure?: 'auto' | 'always' | 'never';
  /**
   * The names of tools and prompts for MCP clients: full names (`full`), or the servers' own names (`own`) where they are
   * unique. `own` makes the proxy invisible for a profile with a single server.
   */
  readonly names?: 'full' | 'own';
  /** Whether answers that arrive through the client count as answers of a human. */
  readonly trustsHuman?: boolean;
}

/** Profiles by name. */
export type ProfilesByName = Readonly<Record<string, ProfileSettings>>;

/** A named view of the catalog. Immutable: new settings create a new profile. */
export class Profile {
  readonly name: string;
  readonly settings: ProfileSettings;
  readonly #since = Date.now();
  readonly #builtin: string | undefined;
  readonly #servers: ReadonlySet<string> | undefined;
  readonly #included: readonly string[];
  readonly #excluded: readonly string[];
  readonly #reasons = new WeakMap<ToolDefinition, { readonly reason: string | undefined }>();
  readonly #views = new WeakMap<CatalogSnapshot, CatalogSnapshot>();

  constructor(name: string, settings: ProfileSettings, builtin: string | undefined) {
    this.name = name;
    this.settings = settings;
    this.#builtin = builtin;
    this.#servers = settings.servers && new Set(settings.servers);
    const patterns = settings.tools ?? [];
    this.#included = patterns.filter((pattern) => !pattern.startsWith('!'));
    this.#excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  }

  /** Returns the reason why a tool is not in the profile; `undefined` when it is. An unlisted tool can only be excluded by a pattern. */
  exclusionReason(tool: ToolDefinition, isUnlisted: boolean): string | undefined {
    const known = this.#reasons.get(tool);
    if (known !== undefined) return known.reason;
    const reason = this.#reason(tool, isUnlisted);
    this.#reasons.set(tool, { reason });
    return reason;
  }

  /** Returns the catalog as this profile shows it. Returns the same object for the same snapshot. */
  view(snapshot: CatalogSnapshot): CatalogSnapshot {
    return getOrInsert(this.#views, snapshot, () => this.#build(snapshot));
  }

  /** Returns whether clients of this profile search for these tools instead of listing them. */
  usesSearch(tools: readonly ToolDefinition[]): boolean {
    const { disclosure = 'never' } = this.settings;
    return disclosure === 'always' || (disclosure === 'auto' && isSearchCheaper(tools));
  }

  /** Returns the patterns, as written, that match no tool and so may be mistakes. */
  unmatched({ tools, hidden }: CatalogSnapshot): string[] {
    const all = [...tools, ...hidden.map(nameHiddenTool)].map(namesOf);
    return (this.settings.tools ?? []).filter((written) => {
      const isUnwanted = written.startsWith('!');
      const pattern = isUnwanted ? written.slice(1) : written;
      return !all.some((names) => matchesAnyName(isUnwanted ? names.all : grantedBy(names), pattern));
    });
  }

  #reason(tool: ToolDefinition, isUnlisted: boolean): string | undefined {
    const { id } = tool;
    const names = namesOf(tool);
    const excluded = this.#excluded.find((pattern) => matchesAnyName(names.all, pattern));
    if (excluded !== undefined) return `profile "${this.name}" excludes it with "!${excluded}"`;
    if (isUnlisted) return undefined;
    if (this.#servers?.has(id.server) === false && id.server !== this.#builtin)
      return `profile "${this.name}" does not include the server "${id.server}"`;
    const granted = grantedBy(names);
    if (this.#included.length > 0 && !this.#included.some((pattern) => matchesAnyName(granted, pattern)))
      return `profile "${this.name}" does not include it`;
    return undefined;
  }

  #build(snapshot: CatalogSnapshot): CatalogSnapshot {
    const counts = new Map<string, number>();
    const tools: ToolDefinition[] = [];
    const hidden: HiddenTool[] = [...snapshot.hidden];
    for (const tool of snapshot.tools) {
      const { server } = tool.id;
      const reason = this.exclusionReason(tool, false);
      if (reason === undefined) {
        tools.push(tool);
        counts.set(server, (counts.get(server) ?? 0) + 1);
      } else {
        const naming = recordedNaming(tool);
        hidden.push(Object.freeze({ name: tool.name, server, ...naming, by: 'profile', reason, since: this.#since }));
      }
    }
    const servers = snapshot.servers.map((server) => Object.freeze({ ...server, tools: counts.get(server.name) ?? 0 }));
    for (const list of [tools, hidden, servers]) Object.freeze(list);
    return Object.freeze({ ...snapshot, tools, hidden, servers });
  }
}

/** Returns the names that an including pattern is matched against. Names from before a rename are excluded: another tool may have them now. */
function grantedBy({ full, bare }: ToolNames): readonly string[] {
  return [...full, ...bare];
}

/** The size of a listing above which tool search costs less than listing, as measured by `npm run bench -- disclosure`. */
export const minSearchBytes = 30_000;

const sizes = new WeakMap<ToolDefinition, number>();

/** Returns whether listing these tools costs a model more tokens than searching for them, in a turn that uses three of them with 32 KB of other context. */
function isSearchCheaper(tools: readonly ToolDefinition[]): boolean {
  let size = 0;
  for (const tool of tools) if ((size += sizeOf(tool)) > minSearchBytes) return true;
  return false;
}

function sizeOf(tool: ToolDefinition): number {
  return getOrInsert(sizes, tool, ({ name, description, inputSchema }) =>
    Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema })),
  );
}
