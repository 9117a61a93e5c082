import { SignalboxError } from '../core/errors.ts';
import { getOrInsert } from '../core/get-or-insert.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import { emitSafely } from '../core/async/emit-safely.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import {
  type ContentMethod,
  type RecordedNaming,
  assertServerName,
  fullNames,
  isContentMethod,
  namesOf,
  parseName,
} from '../core/tools/tool-names.ts';
import { contentTool } from './source/content-tool.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { flagsByTool } from './scan/flag-suspicious.ts';
import { SourceAdmission } from './source-admission.ts';
import { isPinnable, pinSource } from './pins/pin-source.ts';
import type { Pins } from './pins/pins.ts';
import { Profile, type ProfilesByName } from './profile.ts';
import type { CatalogNotice, CatalogSnapshot, HiddenTool, ServerSummary } from './snapshot.ts';
import type { Source } from './source/source.ts';
import { sanitizeSource } from './transforms/sanitize-source.ts';

interface Mounted {
  /** The source as it was mounted. */
  readonly given: Source;
  /** The source without hidden characters. */
  readonly source: Source;
  readonly unsubscribe: () => void;
  disabledSince: number | undefined;
  upSince: number;
  down: boolean;
  readonly offers: SourceAdmission;
  /** The tools that represent its MCP methods, created on first use. */
  readonly contentTools: Map<ContentMethod, CatalogTool>;
}

/** Holds the mounted servers and creates immutable snapshots of their tools. */
export class Catalog {
  readonly #mounted = new Map<string, Mounted>();
  readonly #listeners = new Set<(snapshot: CatalogSnapshot) => void>();
  #version = 0;
  #snapshot: CatalogSnapshot | undefined;
  /** Belongs to the current snapshot but is not exposed by it, because its tools could be run outside the pipeline. */
  #byName: ReadonlyMap<string, CatalogTool> = new Map();
  /** Tools by the other forms of their full names. A form that two tools share resolves to neither tool. */
  #byOtherName: ReadonlyMap<string, CatalogTool> = new Map();
  /** The search tools of the current snapshot. */
  #searchTools: readonly ToolDefinition[] = [];
  #profiles: ReadonlyMap<string, Profile> = new Map();
  readonly #builtin: string | undefined;
  readonly #pins: Pins | undefined;
  #announcing = false;

  /** `builtin` names the built-in server, which is in every profile. With `pins`, tools whose definitions changed need approval until accepted. */
  constructor(builtin?: string, pins?: Pins) {
    this.#builtin = builtin;
    this.#pins = pins;
  }

  /** The current catalog. Built once for each version, on first use. */
  get snapshot(): CatalogSnapshot {
    this.#snapshot ??= this.#build();
    return this.#snapshot;
  }

  /** Returns the tool that can currently be called by this name: the rendered name, or another form of its full name. */
  find(name: string): CatalogTool | undefined {
    if (this.#snapshot === undefined) this.#snapshot = this.#build();
    return this.#byName.get(name) ?? this.#byOtherName.get(name) ?? this.#contentTool(name);
  }

  /** Returns the tool that represents an MCP method of a server to policy. It is never listed, and found only while the server is up. */
  #contentTool(name: string): CatalogTool | undefined {
    const { server, tool } = parseName(name) ?? { server: '', tool: '' };
    if (!isContentMethod(tool)) return undefined;
    const mounted = this.#mounted.get(server);
    if (mounted === undefined || absenceOf(mounted) !== undefined) return undefined;
    return getOrInsert(mounted.contentTools, tool, () => contentTool(mounted.source, tool));
  }

  /** Returns the current name of the tool that its server calls `name`; `undefined` when it was not renamed or is not listed. */
  renamed(name: string): string | undefined {
    const found = this.snapshot.tools.find(
      ({ id, renamedFrom }) =>
        renamedFrom !== undefined && fullNames({ server: id.server, tool: renamedFrom }).includes(name),
    );
    return found?.name;
  }

  /** Replaces all profiles. Creates a new version, because the tools of clients may change. */
  setProfiles(profiles: ProfilesByName): void {
    this.#profiles = new Map(
      Object.entries(profiles).map(([name, settings]) => [name, new Profile(name, settings, this.#builtin)]),
    );
    this.#changed();
  }

  /** Returns all profiles. */
  profiles(): readonly Profile[] {
    return [...this.#profiles.values()];
  }

  /** Returns the catalog as a profile shows it; without a profile, the whole catalog. */
  view(profile: string | undefined): CatalogSnapshot {
    return profile === undefined ? this.snapshot : this.#profile(profile).view(this.snapshot);
  }

  /** Returns the tools that a client of a profile lists: all tools of the profile, or the search tools where tools are searched for. */
  listing(profile: string | undefined): readonly ToolDefinition[] {
    const view = this.view(profile);
    const usesSearch = profile !== undefined && this.#profile(profile).usesSearch(view.tools);
    return usesSearch && this.#searchTools.length > 0 ? this.#searchTools : view.tools;
  }

  /**
   * Returns the servers whose resources, prompts and instructions a profile shows: the servers that it names, or else those of which it
   * shows a tool, and, unless it selects tools, those that have none.
   */
  contentServers(profile: string | undefined): ReadonlySet<string> {
    const all = this.snapshot.servers;
    if (profile === undefined) return new Set(all.map(({ name }) => name));
    const { servers, tools = [] } = this.#profile(profile).settings;
    if (servers !== undefined) return new Set(servers);
    if (tools.length === 0) return new Set(all.map(({ name }) => name));
    const withoutTools = new Set(all.filter((each) => each.tools === 0).map(({ name }) => name));
    const selects = tools.some((pattern) => !pattern.startsWith('!'));
    const shown = this.view(profile).servers.filter(
      ({ name, tools: count }) => count > 0 || (!selects && withoutTools.has(name)),
    );
    return new Set(shown.map(({ name }) => name));
  }

  /** Returns the reason why a client of this profile cannot call a tool. Without a tool, only an unknown profile is a reason. */
  exclusionReason(profile: string, tool: CatalogTool | undefined): string | undefined {
    const known = this.#profiles.get(profile);
    if (known === undefined) return unknownProfile(profile, this.#profiles.keys());
    if (tool === undefined) return undefined;
    const { definition, offered } = tool;
    if (isContentMethod(definition.id.tool))
      return this.contentServers(profile).has(definition.id.server)
        ? undefined
        : `profile "${profile}" does not show server "${definition.id.server}"`;
    const isUnlisted = offered.unlisted === true || this.#mounted.get(definition.id.server)?.source.unlisted === true;
    return known.exclusionReason(definition, isUnlisted);
  }

  /** Returns the servers in their first start that a client of this profile can see. */
  starting(profile?: string): readonly ServerSummary[] {
    const seen = profile === undefined ? {} : this.#profiles.get(profile)?.settings;
    if (seen === undefined) return [];
    return this.snapshot.servers.filter(
      ({ name, connecting }) => connecting === true && (seen.servers?.includes(name) ?? true),
    );
  }

  /** Mounts a server. Throws when its name or one of its tool names is taken, or a tool has an invalid definition. */
  mount(source: Source): void {
    assertServerName(source.server);
    const present = this.#mounted.get(source.server);
    if (present !== undefined) {
      throw new SignalboxError(
        'name-collision',
        `two servers are named "${source.server}": ${present.source.adapter} is mounted, and ${source.adapter} wants the same name; rename one of them`,
      );
    }
    this.#put(source);
  }

  /** Replaces the server with the same name and returns it for the caller to close. Throws like `mount`, before anything changes. */
  replace(source: Source): Source {
    const before = this.#get(source.server);
    this.#put(source, before);
    before.unsubscribe();
    return before.given;
  }

  /** Unmounts a server and its tools; the caller closes the source. */
  unmount(server: string): Source {
    const mounted = this.#get(server);
    mounted.unsubscribe();
    this.#mounted.delete(server);
    this.#changed();
    return mounted.given;
  }

  enable(server: string): void {
    const mounted = this.#get(server);
    if (mounted.disabledSince === undefined) return;
    mounted.disabledSince = undefined;
    mounted.upSince = Date.now();
    this.#changed();
  }

  disable(server: string): void {
    const mounted = this.#get(server);
    if (mounted.disabledSince !== undefined) return;
    mounted.disabledSince = Date.now();
    this.#changed();
  }

  /** Returns the source of a mounted server. */
  source(server: string): Source {
    return this.#get(server).given;
  }

  sources(): readonly Source[] {
    return [...this.#mounted.values()].map((mounted) => mounted.given);
  }

  /** Returns the servers that currently accept requests. */
  available(): readonly Source[] {
    return [...this.#mounted.values()].filter((each) => absenceOf(each) === undefined).map(({ source }) => source);
  }

  /** Returns a server that currently accepts requests. Throws with the reason when it does not. */
  reachable(server: string): Source {
    const mounted = this.#get(server);
    const absence = absenceOf(mounted);
    if (absence !== undefined) throw new SignalboxError('server-unavailable', absence.reason);
    return mounted.source;
  }

  /** Calls the listener for every new version, once for all changes of one synchronous run. */
  subscribe(listener: (snapshot: CatalogSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(given: Source, before?: Mounted): void {
    const isPinned = this.#pins === undefined || given.isPinned === true || !isPinnable(given);
    const source = sanitizeSource(isPinned ? given : pinSource(given, this.#pins));
    const offers = new SourceAdmission(source);
    offers.assertAll();
    const down = source.state().down !== undefined;
    const mounted: Mounted = {
      given,
      source,
      unsubscribe: source.subscribe(() => this.#sourceChanged(mounted)),
      disabledSince: before?.disabledSince,
      upSince: before === undefined || before.down || down ? Date.now() : before.upSince,
      down,
      offers,
      contentTools: new Map(),
    };
    this.#mounted.set(source.server, mounted);
    this.#changed();
  }

  #profile(name: string): Profile {
    const profile = this.#profiles.get(name);
    if (profile !== undefined) return profile;
    throw new SignalboxError('profile-unknown', unknownProfile(name, this.#profiles.keys()));
  }

  #get(server: string): Mounted {
    const mounted = this.#mounted.get(server);
    if (mounted !== undefined) return mounted;
    const names = [...this.#mounted.keys()].join(', ') || 'none';
    throw new SignalboxError('server-unknown', `no server is named "${server}"; mounted: ${names}`);
  }

  #sourceChanged(mounted: Mounted): void {
    const down = mounted.source.state().down !== undefined;
    if (mounted.down && !down) mounted.upSince = Date.now();
    mounted.down = down;
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    this.#snapshot = undefined;
    if (this.#announcing || this.#listeners.size === 0) return;
    this.#announcing = true;
    queueMicrotask(() => {
      this.#announcing = false;
      for (const listener of this.#listeners) emitSafely(listener, this.snapshot);
    });
  }

  #build(): CatalogSnapshot {
    const parts: Parts = { tools: [], servers: [], hidden: [], notices: [] };
    const byName = new Map<string, CatalogTool>();
    for (const mounted of this.#mounted.values()) addServer(parts, byName, mounted);
    for (const [tool, flags] of flagsByTool(byName.values())) {
      const { name, id } = tool.definition;
      byName.set(name, { ...tool, flags: [...tool.flags, ...flags] });
      parts.notices.push(...flags.map((message) => suspiciousNotice(id.server, name, message)));
    }
    this.#byName = byName;
    this.#byOtherName = otherNames(byName.values());
    this.#searchTools = Object.freeze(
      [...byName.values()].filter(({ offered }) => offered.unlisted === true).map(({ definition }) => definition),
    );
    for (const list of [parts.tools, parts.servers, parts.hidden, parts.notices]) Object.freeze(list);
    return Object.freeze({ version: this.#version, ...parts });
  }
}

interface Parts {
  readonly tools: ToolDefinition[];
  readonly servers: ServerSummary[];
  readonly hidden: HiddenTool[];
  readonly notices: CatalogNotice[];
}

type Absence = Pick<HiddenTool, 'by' | 'reason' | 'since'> &
  Pick<ServerSummary, 'connecting' | 'needsSignIn' | 'isFailing'>;

function addServer(parts: Parts, byName: Map<string, CatalogTool>, mounted: Mounted): void {
  const { source } = mounted;
  const absence = absenceOf(mounted);
  let count = 0;
  for (const offer of mounted.offers.now()) {
    const why = absence ?? offer.hidden;
    const { naming } = offer.tool ?? offer;
    if (why !== undefined) parts.hidden.push(hidden(offer.name, source.server, why, naming));
    if (why !== undefined || offer.tool === undefined) continue;
    const { name, tool } = offer;
    byName.set(name, tool);
    if (source.unlisted === true || tool.offered.unlisted === true) continue;
    parts.tools.push(tool.definition);
    for (const message of tool.notices) {
      const create = tool.flags.includes(message) ? suspiciousNotice : plainNotice;
      parts.notices.push(create(source.server, name, message));
    }
    count += 1;
  }
  // Only the runtime that mounted it can use it, so it is not listed.
  if (source.unlisted === true) return;
  // A server that is down may not have listed its tools yet.
  if (absence === undefined) {
    const everyTool = `mcp__${source.server}__*`;
    const { notices = [], flags = [] } = source.state();
    parts.notices.push(
      ...notices.map((message) => plainNotice(source.server, everyTool, message)),
      ...flags.map((message) => suspiciousNotice(source.server, everyTool, message)),
    );
  }
  parts.servers.push(
    Object.freeze({
      name: source.server,
      adapter: source.adapter,
      status: absence === undefined ? 'up' : absence.by === 'server-disabled' ? 'disabled' : 'down',
      since: absence?.since ?? mounted.upSince,
      ...omitUndefined({
        reason: absence?.reason,
        connecting: absence?.connecting,
        needsSignIn: absence?.needsSignIn,
        isFailing: absence?.isFailing,
        required: source.required === true || undefined,
      }),
      tools: count,
    }),
  );
}

function plainNotice(server: string, tool: string, message: string): CatalogNotice {
  return Object.freeze({ server, tool, message });
}

function suspiciousNotice(server: string, tool: string, message: string): CatalogNotice {
  return Object.freeze({ server, tool, message, isSuspicious: true });
}

function otherNames(tools: Iterable<CatalogTool>): Map<string, CatalogTool> {
  const found = new Map<string, CatalogTool>();
  const shared = new Set<string>();
  for (const tool of tools) {
    if (tool.naming === undefined) continue;
    for (const name of namesOf(tool.definition).full) {
      if (found.has(name)) shared.add(name);
      found.set(name, tool);
    }
  }
  for (const name of shared) found.delete(name);
  return found;
}

function unknownProfile(name: string, known: Iterable<string>): string {
  const names = [...known];
  const meant = closestMatch(name, names);
  const hint = meant === undefined ? `there are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return `there is no profile named ${JSON.stringify(name.slice(0, 128))}; ${hint}`;
}

function hidden(name: string, server: string, { by, reason, since }: Absence, naming?: RecordedNaming): HiddenTool {
  return Object.freeze({ name, server, ...naming, by, reason, since });
}

function absenceOf({ source, disabledSince }: Mounted): Absence | undefined {
  if (disabledSince !== undefined) {
    return { by: 'server-disabled', reason: `server "${source.server}" is disabled`, since: disabledSince };
  }
  const { down } = source.state();
  if (down === undefined) return undefined;
  const { reason, since, isStarting, ...help } = down;
  if (isStarting === true)
    return {
      by: 'server-down',
      reason: `server "${source.server}" is still starting`,
      since,
      connecting: true,
    };
  return { by: 'server-down', reason: `server "${source.server}" is down: ${reason}`, since, ...help };
}
