import type { Source } from '../../catalog/source/source.ts';
import type { LocalModuleEntry } from '../../config/configuration.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { AnyTool } from '../../sources/local/foreign-tools.ts';
import { localServer } from '../../sources/local/local-server.ts';

type Exports = Readonly<Record<string, unknown>>;
type Entry = Pick<LocalModuleEntry, 'name' | 'export' | 'limits'>;

/** Creates a server from the exports of a module: a server, one tool, an array or object of tools, or tools as named exports. */
export function serverFromExports(entry: Entry, exports: Exports): Source {
  const { what, value } = selectExport(entry, exports);
  if (isServer(value)) return withLimits(assertName(value, entry.name, what), entry);
  const tools = toolsOf(what, value);
  return localServer({ name: entry.name, tools, ...entry.limits });
}

function selectExport(entry: Entry, exports: Exports): { readonly what: string; readonly value: unknown } {
  if (entry.export !== undefined) {
    if (Object.hasOwn(exports, entry.export)) return { what: `export "${entry.export}"`, value: exports[entry.export] };
    const names = Object.keys(exports);
    const suggestion = closestMatch(entry.export, names);
    const hint =
      suggestion === undefined ? `it exports ${names.join(', ') || 'nothing'}` : `did you mean "${suggestion}"?`;
    throw new Error(`there is no export "${entry.export}"; ${hint}`);
  }
  if (Object.hasOwn(exports, 'default')) return { what: 'the default export', value: exports['default'] };
  const tools = Object.entries(exports).filter(([, value]) => isTool(value));
  if (tools.length === 0)
    throw new Error('it exports no tool and no server; export a server, tools made by defineTool, or an array of them');
  return { what: 'the module', value: Object.fromEntries(tools) };
}

function toolsOf(what: string, value: unknown): readonly AnyTool[] | Readonly<Record<string, AnyTool>> {
  if (isTool(value)) return [value];
  if (Array.isArray(value)) {
    const position = value.findIndex((item) => !isTool(item));
    if (position !== -1) throw new Error(`${what} is an array, but its element ${position} is not a tool`);
    return value as readonly AnyTool[];
  }
  if (!isObject(value))
    throw new Error(`${what} is ${value === null ? 'null' : typeof value}, not a server, a tool, or tools`);
  const [wrong] = Object.entries(value).find(([, item]) => !isTool(item)) ?? [];
  if (wrong !== undefined) throw new Error(`${what} is an object of tools, but its "${wrong}" is not a tool`);
  return value as Readonly<Record<string, AnyTool>>;
}

function assertName(server: Source, name: string, what: string): Source {
  if (server.server === name) return server;
  throw new Error(
    `${what} is a server named "${server.server}", but its name in the configuration is "${name}"; use the same name`,
  );
}

/** Applies the limits of the configuration, which override those of the module. */
function withLimits(server: Source, { limits }: Entry): Source {
  if (Object.keys(limits).length === 0) return server;
  return {
    server: server.server,
    adapter: server.adapter,
    limits: { ...server.limits, ...limits },
    state: () => server.state(),
    subscribe: (listener) => server.subscribe(listener),
    close: () => server.close(),
  };
}

function isServer(value: unknown): value is Source {
  return (
    isObject(value) &&
    typeof value['server'] === 'string' &&
    typeof value['state'] === 'function' &&
    typeof value['subscribe'] === 'function'
  );
}

function isTool(value: unknown): value is AnyTool {
  return (
    isObject(value) &&
    (typeof value['run'] === 'function' || typeof value['handler'] === 'function' || 'inputSchema' in value)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
