import { matchesAnyName } from '../core/text/name-pattern.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import { type ToolNames, namesOf, recordedNaming } from '../core/tools/tool-names.ts';
import { type CatalogSnapshot, type HiddenTool, namedHidden } from './snapshot.ts';

/** The selection of the catalog for one kind of client. */
export interface ProfileSettings {
  /** The servers whose tools are seen: all when absent. The built-in one always is. */
  readonly servers?: readonly string[];
  /**
   * Patterns for full names, as they are or rendered, or for a tool's own name; those that begin with `!` leave out. A tool is seen when no pattern
   * leaves it out and, where there are others, one of them fits. Their order does not matter: leaving out always wins.
   */
  readonly tools?: readonly string[];
  /** Whether tools are searched for instead of listed: where it saves tokens (`auto`), `always`, or `never`. */
  readonly disclosure?: 'auto' | 'always' | 'never';
  /**
   * The names of tools and prompts for MCP clients: the names that all agents use (`full`), or those that their servers gave them
   * (`own`) where no two are the same. For one server that should look as if nothing stood before it.
   */
  readonly names?: 'full' | 'own';
  /** Whether answers that come through the client count as those of a human. */
  readonly trustsHuman?: boolean;
}

/** Profiles by name. */
export type ProfilesByName = Readonly<Record<string, ProfileSettings>>;

/** A named view of the catalog. Never changes: other settings are another profile. */
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
  outside(tool: ToolDefinition, isUnlisted: boolean): string | undefined {
    const known = this.#reasons.get(tool);
    if (known !== undefined) return known.reason;
    const reason = this.#reason(tool, isUnlisted);
    this.#reasons.set(tool, { reason });
    return reason;
  }

  /** The catalog as this profile shows it: the same one for the same catalog. */
  view(snapshot: CatalogSnapshot): CatalogSnapshot {
    const known = this.#views.get(snapshot);
    if (known !== undefined) return known;
    const view = this.#build(snapshot);
    this.#views.set(snapshot, view);
    return view;
  }

  /** The patterns that fit no tool, as they were written: they do not do what their author thinks. */
  unmatched({ tools, hidden }: CatalogSnapshot): string[] {
    const all = [...tools, ...hidden.map(namedHidden)].map(namesOf);
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
    if (excluded !== undefined) return `profile "${this.name}" leaves it out with "!${excluded}"`;
    if (isUnlisted) return undefined;
    if (this.#servers?.has(id.server) === false && id.server !== this.#builtin)
      return `profile "${this.name}" does not have the server "${id.server}"`;
    const granted = grantedBy(names);
    if (this.#included.length > 0 && !this.#included.some((pattern) => matchesAnyName(granted, pattern)))
      return `profile "${this.name}" does not name it`;
    return undefined;
  }

  #build(snapshot: CatalogSnapshot): CatalogSnapshot {
    const counts = new Map<string, number>();
    const tools: ToolDefinition[] = [];
    const hidden: HiddenTool[] = [...snapshot.hidden];
    for (const tool of snapshot.tools) {
      const { server } = tool.id;
      const reason = this.outside(tool, false);
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
