import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import { assertServerName } from '../../core/tools/tool-names.ts';
import { type Source, type SourceLimits, type SourceState, limitsOf } from '../../catalog/source/source.ts';
import { SignalboxError } from '../../core/errors.ts';
import { type AnyTool, toTool } from './foreign-tools.ts';
import type { Isolate } from './isolate/isolate.ts';
import { type LocalTool, localTool } from './local-tool.ts';

/** A server of tools in this process. */
export interface LocalServer extends Source {
  /** Adds a tool. Throws when the name is taken. `name` is required for tools without a name of their own. */
  add(tool: AnyTool, name?: string): void;
  /** Replaces the tool with the same name. Running calls finish with the old one. */
  replace(tool: AnyTool, name?: string): void;
  /** Removes a tool. Returns false when there is none of that name. */
  remove(name: string): boolean;
}

/** Options of a local server. */
export interface LocalServerOptions extends SourceLimits {
  readonly name: string;
  /** Tools of ours, of the Claude Agent SDK, or (by name) of the AI SDK. */
  readonly tools?: readonly AnyTool[] | Readonly<Record<string, AnyTool>>;
}

/**
 * Bundles tools of one domain under a name.
 *
 * @example
 * const notes = localServer({ name: 'notes', tools: [listNotes, addNote] });
 */
export function localServer(options: LocalServerOptions): LocalServer {
  assertServerName(options.name);
  const compiler = new SchemaCompiler();
  const listeners = new Set<() => void>();
  const tools = new Map<string, LocalTool>();
  /** Isolates, including those of replaced and removed tools: running calls may still use them, and their workers stop when idle. */
  const isolates = new Set<Isolate>();
  let state: SourceState | undefined;

  const changed = (): void => {
    state = undefined;
    for (const listener of listeners) listener();
  };
  const prepare = (given: AnyTool, key: string | undefined): LocalTool =>
    localTool(toTool(given, key), compiler, options.name);
  const put = (tool: LocalTool): void => {
    tools.set(tool.offered.tool, tool);
    if (tool.isolate !== undefined) isolates.add(tool.isolate);
  };
  const insert = (tool: LocalTool): void => {
    const name = tool.offered.tool;
    if (tools.has(name)) {
      throw new SignalboxError(
        'name-collision',
        `server "${options.name}" has a tool named "${name}" already; two tools of one server cannot share a name (use replace, or rename one)`,
      );
    }
    put(tool);
  };

  for (const [key, tool] of namedTools(options.tools ?? [])) insert(prepare(tool, key));

  return {
    server: options.name,
    adapter: `local:${options.name}`,
    limits: limitsOf(options),
    state: () => (state ??= { tools: [...tools.values()].map((tool) => tool.offered) }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(tool, name) {
      insert(prepare(tool, name));
      changed();
    },
    replace(tool, name) {
      put(prepare(tool, name));
      changed();
    },
    remove(name) {
      if (!tools.delete(name)) return false;
      changed();
      return true;
    },
    async close() {
      await Promise.all([...isolates].map((isolate) => isolate.close()));
    },
  };
}

function namedTools(tools: NonNullable<LocalServerOptions['tools']>): [string | undefined, AnyTool][] {
  return isList(tools) ? tools.map((tool) => [undefined, tool]) : Object.entries(tools);
}

function isList(tools: NonNullable<LocalServerOptions['tools']>): tools is readonly AnyTool[] {
  return Array.isArray(tools);
}
