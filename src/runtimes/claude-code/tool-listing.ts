import type { ToolDefinition, ToolId } from '../../model/tool.ts';

/** The tools of a box as Claude Code is told of them. */
export interface ToolListing {
  readonly servers: ReadonlyMap<string, ServerListing>;
  /** What a name of an agent stands for. */
  readonly ids: ReadonlyMap<string, ToolId>;
}

/** The tools of one server. */
export interface ServerListing {
  /** In the form of MCP. */
  readonly tools: readonly object[];
  /** The name agents call a tool by, by its name within the server: what follows `mcp__{server}__`. */
  readonly names: ReadonlyMap<string, string>;
}

const listings = { always: new WeakMap<object, ToolListing>(), onSearch: new WeakMap<object, ToolListing>() };

/** Lists tools, once for each version of the catalog. With `alwaysLoad` a model sees them all, without it those it searches for. */
export function toolListing(definitions: readonly ToolDefinition[], alwaysLoad: boolean): ToolListing {
  const built = alwaysLoad ? listings.always : listings.onSearch;
  const known = built.get(definitions);
  if (known !== undefined) return known;
  const servers = new Map<string, { tools: object[]; names: Map<string, string> }>();
  for (const definition of definitions) {
    const { server } = definition.id;
    const listing = servers.get(server) ?? { tools: [] as object[], names: new Map<string, string>() };
    servers.set(server, listing);
    const name = definition.name.slice(`mcp__${server}__`.length);
    listing.tools.push(listed(name, definition, alwaysLoad));
    listing.names.set(name, definition.name);
  }
  const listing = { servers, ids: new Map(definitions.map(({ name, id }) => [name, id])) };
  built.set(definitions, listing);
  return listing;
}

function listed(name: string, definition: ToolDefinition, alwaysLoad: boolean): object {
  const { title, description, inputSchema, annotations, effect } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { ...(typeof inputSchema === 'boolean' ? {} : inputSchema), type: 'object' },
    // Calls that only read are made at the same time; the operator knows better than the server which those are.
    annotations: { ...annotations, readOnlyHint: effect === 'read' },
    ...(alwaysLoad ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}
