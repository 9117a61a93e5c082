import type { ProfileSettings } from '../../../catalog/profile.ts';
import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import type { AbortSignalLike } from '../../../core/async/light-abort-signal.ts';
import type { Effect, ToolAnnotations, ToolDefinition, ToolId } from '../../../core/tools/tool.ts';
import { looksLikeFullName, namesOf, renderName } from '../../../core/tools/tool-names.ts';
import type { McpBox } from '../mcp-box.ts';
import { type ListName, type Pages, createPages } from './list-pages.ts';
import { createDiscovery, instructionsFor } from '../protocol/handshake.ts';
import type { Prepared } from '../protocol/wire-messages.ts';

/** The server and own name of a prompt. */
export interface ContentLocation {
  readonly server: string;
  readonly name: string;
}

/** The tools that a client was shown, by their listed names. */
export interface ShownTools {
  readonly tools: { get(name: string): Pick<ToolDefinition, 'definitionHash'> | undefined };
}

/** All lists of a view for one version of the catalog, serialized once. */
export interface Listing extends ShownTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Returns the listed name of a tool by any form of its full name; the given name when no tool has it. */
  listedName(name: string): string;
  readonly prompts: ReadonlyMap<string, ContentLocation>;
  /** The instructions for models. */
  readonly instructions: string;
  /** Returns the result of `server/discover`. */
  discovery(): Prepared;
  /** Returns the server that may have a resource. */
  serverOf(uri: string): string | undefined;
  pages(list: ListName, isModern: boolean): Pages;
  /** Changes whenever the list does. */
  fingerprint(list: ListName): string;
}

interface Seen {
  readonly snapshot: CatalogSnapshot;
  /** Absent when the profile does not exist. */
  readonly settings: ProfileSettings | undefined;
  readonly hasStartingServers: boolean;
  listing: Listing | undefined;
}

/** The part of the catalog that a client sees: a profile, or everything. */
export class CatalogView {
  readonly profile: string | undefined;
  readonly #box: McpBox;
  #seen: Seen | undefined;

  constructor(box: McpBox, profile: string | undefined) {
    this.#box = box;
    this.profile = profile;
  }

  /** Whether the profile exists. A configuration change may remove it at any time. */
  get exists(): boolean {
    return this.#now().settings !== undefined;
  }

  /** Whether the answers of a client’s user count as a human’s approval. */
  get trustsHuman(): boolean {
    return this.#now().settings?.trustsHuman === true;
  }

  /** The current lists: the same object as long as the catalog does not change. */
  get listing(): Listing {
    const seen = this.#now();
    return (seen.listing ??= this.#list(seen.settings ?? {}));
  }

  /** Waits, for a bounded time, for servers that are starting, because many clients list tools only once; `undefined` when none is starting. */
  awaitStartup(signal?: AbortSignalLike): Promise<void> | undefined {
    if (!this.#now().hasStartingServers) return undefined;
    const profile = this.profile === undefined ? {} : { profile: this.profile };
    return this.#box.servers.started({ ...profile, ...(signal === undefined ? {} : { signal }) });
  }

  #now(): Seen {
    const snapshot = this.#box.catalog();
    if (this.#seen?.snapshot === snapshot) return this.#seen;
    const settings =
      this.profile === undefined ? {} : this.#box.profiles.list().find(({ name }) => name === this.profile)?.settings;
    const hasStartingServers = snapshot.servers.some(({ connecting }) => connecting === true);
    return (this.#seen = { snapshot, settings, hasStartingServers, listing: undefined });
  }

  #list(settings: ProfileSettings): Listing {
    const { names = 'full' } = settings;
    const view = this.profile === undefined ? {} : { profile: this.profile };
    const named = <Item>(items: readonly Item[], idOf: (item: Item) => ToolId): Map<string, Item> =>
      byName(items, idOf, names === 'own');
    const tools = named(this.exists ? this.#box.tools(view) : [], ({ id }) => id);
    const prompts = named(this.exists ? this.#box.prompts.list(view) : [], ({ server, name }) => ({
      server,
      tool: name,
    }));
    const resources = this.exists ? this.#box.resources.list(view) : [];
    const templates = this.exists ? this.#box.resources.templates(view) : [];
    const instructions = instructionsFor(this.exists ? this.#box.servers.instructions(view) : [], names);
    let discovery: Prepared | undefined;
    let listedNames: ReadonlyMap<string, string> | undefined;
    const lists: Record<ListName, (isModern: boolean) => JsonObject[]> = {
      tools: (isModern) => [...tools].map(([name, tool]) => toWireTool(name, tool, isModern)),
      prompts: () => [...prompts].map(([name, { server: _, ...prompt }]) => ({ ...prompt, name })),
      resources: () => resources.map(({ server: _, ...resource }) => resource),
      resourceTemplates: () => templates.map(({ server: _, ...template }) => template),
    };
    const written = new Map<string, Pages>();
    const pages = (list: ListName, isModern: boolean): Pages => {
      const key = `${list} ${isModern}`;
      let known = written.get(key);
      if (known === undefined) written.set(key, (known = createPages(list, lists[list](isModern), isModern)));
      return known;
    };
    return {
      tools,
      listedName(name) {
        if (tools.has(name)) return name;
        listedNames ??= new Map(
          [...tools].flatMap(([listed, tool]) => namesOf(tool).full.map((each) => [each, listed] as const)),
        );
        return listedNames.get(name) ?? name;
      },
      prompts: new Map([...prompts].map(([name, { server, name: own }]) => [name, { server, name: own }])),
      instructions,
      discovery: () => (discovery ??= createDiscovery(instructions, this.#box.version)),
      serverOf: (uri) => serverOf(uri, resources, templates),
      pages,
      fingerprint: (list) => pages(list, false).fingerprint,
    };
  }
}

/**
 * Returns items by the name they are listed under. An own name that two items share, or that looks like a full name, is replaced by
 * the full name, so no server can list a tool under the name of another server's. No item replaces an earlier one.
 */
function byName<Item>(items: readonly Item[], idOf: (item: Item) => ToolId, isOwn: boolean): Map<string, Item> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(idOf(item).tool, (counts.get(idOf(item).tool) ?? 0) + 1);
  const named = new Map<string, Item>();
  for (const item of items) {
    const id = idOf(item);
    const keepsOwn = isOwn && counts.get(id.tool) === 1 && !looksLikeFullName(id.tool);
    const name = keepsOwn ? id.tool : renderName(id).name;
    if (!named.has(name)) named.set(name, item);
  }
  return named;
}

function toWireTool(name: string, definition: ToolDefinition, isModern: boolean): JsonObject {
  const { title, description, inputSchema, outputSchema, effect, _meta, fields } = definition;
  const annotations = annotationsFor(definition.annotations, effect);
  return {
    ...fields,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    inputSchema: { ...(isJsonObject(inputSchema) ? inputSchema : {}), type: 'object' },
    // Revisions before 2026-07-28 accept only object schemas.
    ...(isJsonObject(outputSchema) && (isModern || outputSchema['type'] === 'object') ? { outputSchema } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

/** Returns the server's hints. The configured effect overrides hints that contradict it. */
function annotationsFor(annotations: ToolAnnotations, effect: Effect): JsonObject {
  const isRead = effect === 'read';
  return (annotations.readOnlyHint === true) === isRead ? { ...annotations } : { ...annotations, readOnlyHint: isRead };
}

type Resources = ReturnType<McpBox['resources']['list']>;
type Templates = ReturnType<McpBox['resources']['templates']>;

/**
 * Returns the server that lists a resource or a matching template; or else the first with resources of the same scheme, because
 * servers need not list all.
 */
function serverOf(uri: string, resources: Resources, templates: Templates): string | undefined {
  const listed =
    resources.find((each) => each.uri === uri) ?? templates.find(({ uriTemplate }) => mayExpandTo(uriTemplate, uri));
  if (listed !== undefined) return listed.server;
  const scheme = schemeOf(uri);
  const related = resources.find((each) => schemeOf(each.uri) === scheme);
  return (related ?? templates.find((each) => schemeOf(each.uriTemplate) === scheme))?.server;
}

/**
 * Returns whether a URI may be an expansion of a template: its literal parts are in the URI in their order, and a simple variable
 * spans no slash. Takes linear time for any template; a template without a literal scheme matches nothing.
 */
export function mayExpandTo(uriTemplate: string, uri: string): boolean {
  const parts = uriTemplate.split(/\{([^{}]*)\}/);
  const [first = ''] = parts;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(first) || !uri.startsWith(first)) return false;
  let at = first.length;
  for (let index = 1; index < parts.length; index += 2) {
    const [expression = '', literal = ''] = [parts[index], parts[index + 1]];
    const isLast = index + 2 >= parts.length;
    const end = isLast ? uri.length - literal.length : uri.indexOf(literal, at);
    if (end < at || (isLast && !uri.endsWith(literal))) return false;
    if (/^\w/.test(expression) && uri.slice(at, end).includes('/')) return false;
    at = end + literal.length;
  }
  return at === uri.length;
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':') + 1);
}
