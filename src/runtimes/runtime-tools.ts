import type { Source, SourceState, SourceTool } from '../catalog/source/source.ts';
import type { RuntimeTool } from './runtime.ts';

/** The server of the tools that a runtime runs itself. Mounted in the box, so their calls go through the pipeline. */
export interface RuntimeTools extends Source {
  /** Adds a tool to the catalog, or changes its effect. */
  declare(tool: RuntimeTool): void;
}

// The runtime has its own limits for the tools that it runs. These only end a call that was never ended.
const limits = { timeoutMs: 24 * 60 * 60 * 1000, concurrency: 10_000 };

/**
 * Creates the server for the tools of a runtime. Its tools are unlisted, because only the runtime can run them.
 *
 * @example
 * const own = runtimeTools('claude');
 * box.servers.add(own);
 */
export function runtimeTools(server: string): RuntimeTools {
  const tools = new Map<string, SourceTool>();
  const listeners = new Set<() => void>();
  let state: SourceState = { tools: [] };
  return {
    server,
    adapter: `runtime:${server}`,
    limits,
    unlisted: true,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    declare(tool) {
      if (tools.get(tool.name)?.effect === tool.effect) return;
      tools.set(tool.name, sourceTool(server, tool));
      state = { tools: [...tools.values()] };
      for (const listener of listeners) listener();
    },
  };
}

function sourceTool(server: string, { name, effect, uncounted = false }: RuntimeTool): SourceTool {
  return {
    tool: name,
    description: `${name}, as ${server} runs it itself.`,
    inputSchema: { type: 'object' },
    annotations: {},
    effect,
    idempotent: false,
    labels: [],
    notices: [],
    uncounted,
    isExternal: true,
    parse: (args) => ({ ok: true, value: args }),
    run() {
      throw new Error(`${name} is run by ${server} itself and cannot be called from outside`);
    },
  };
}
