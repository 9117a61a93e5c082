import { SchemaCompiler } from '../../catalog/json-schema.ts';
import type { ToolDefinition, ToolId } from '../../core/tools/tool.ts';
import { type Shape, shapeTool } from '../providers/provider-format.ts';
import { anthropicDialect } from '../providers/formats.ts';

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
  /** The listed tools by their name within the server: what follows `mcp__{server}__`. */
  readonly byName: ReadonlyMap<string, ServedTool>;
}

/** A server without tools. */
export const noTools: ServerListing = { tools: [], byName: new Map() };

/** A listed tool: the name that agents call it by, and the conversion of arguments from the listed schema back to the tool's own. */
export interface ServedTool {
  readonly name: string;
  readonly restore: Shape['restore'];
}

const dialect = anthropicDialect();

const listings = { always: new WeakMap<object, ToolListing>(), onSearch: new WeakMap<object, ToolListing>() };

/** Lists tools, once for each version of the catalog. With `alwaysLoad` a model sees them all, without it those it searches for. */
export function toolListing(definitions: readonly ToolDefinition[], alwaysLoad: boolean): ToolListing {
  const built = alwaysLoad ? listings.always : listings.onSearch;
  const known = built.get(definitions);
  if (known !== undefined) return known;
  const compiler = new SchemaCompiler();
  const servers = new Map<string, { tools: object[]; byName: Map<string, ServedTool> }>();
  for (const definition of definitions) {
    const { server } = definition.id;
    const listing = servers.get(server) ?? { tools: [] as object[], byName: new Map<string, ServedTool>() };
    servers.set(server, listing);
    const name = definition.name.slice(`mcp__${server}__`.length);
    const { schema, restore } = shapeTool(definition, dialect, compiler);
    listing.tools.push(listed(name, definition, schema, alwaysLoad));
    listing.byName.set(name, { name: definition.name, restore });
  }
  const listing = { servers, ids: new Map(definitions.map(({ name, id }) => [name, id])) };
  built.set(definitions, listing);
  return listing;
}

function listed(name: string, definition: ToolDefinition, schema: Shape['schema'], alwaysLoad: boolean): object {
  const { title, description, annotations, effect } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: schema,
    // Calls that only read are made at the same time; the operator knows better than the server which those are.
    annotations: { ...annotations, readOnlyHint: effect === 'read' },
    ...(alwaysLoad ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}
