import { assertServerName } from '../../catalog/names.ts';
import { limitsOf } from '../../catalog/source-limits.ts';
import type { Source, SourceHealth, SourceState } from '../../catalog/source.ts';
import type { JsonValue } from '../../model/json.ts';
import { callRemote } from './call-remote.ts';
import type { Connection, ListName, ServerFacts } from './connection.ts';
import { type McpServerOptions, connectionOptions } from './mcp-server-options.ts';
import { openConnection } from './open-connection.ts';
import { RecentLines } from './recent-lines.ts';
import { SourceTools } from './source-tools.ts';
import { Supervisor } from './supervisor.ts';

/** How a server is doing, and what it said. */
export type McpServerHealth = SourceHealth & Partial<ServerFacts>;

/** An MCP server whose tools are in the catalog. */
export interface McpServer extends Source {
  /** Resolves when the first attempt to connect has ended, well or not. */
  ready(): Promise<void>;
  /** Connects anew. */
  restart(): Promise<void>;
  health(): McpServerHealth;
  /** Resolves when no call is under way, or after this time. */
  drained(withinMs: number): Promise<void>;
  /** The resources and prompts it lists, as it lists them. */
  resources(): readonly JsonValue[];
  prompts(): readonly JsonValue[];
}

const debounceMs = 100;

/**
 * Any MCP server as a source of tools: connected to now, kept connected until it is closed.
 *
 * @example
 * const files = mcpServer({ name: 'files', transport: { type: 'stdio', command: 'mcp-server-filesystem', args: ['.'] } });
 */
export function mcpServer(options: McpServerOptions): McpServer {
  assertServerName(options.name);
  const listeners = new Set<() => void>();
  const redact = options.redact ?? ((text: string) => text);
  const lines = new RecentLines(redact);
  const lists: Record<'resources' | 'prompts', readonly JsonValue[]> = { resources: [], prompts: [] };
  const debounced = new Map<ListName, NodeJS.Timeout>();
  let state: SourceState | undefined;
  let facts: ServerFacts | undefined;

  const changed = (): void => {
    state = undefined;
    for (const listener of listeners) listener();
  };
  const tools = new SourceTools(
    (name, args, context) => callRemote(supervisor, options.name, { name, args, context }),
    options.checkSchemas === true,
    changed,
  );

  const relist = async (connection: Connection, list: ListName): Promise<void> => {
    const items = await connection.list(list);
    if (list === 'tools') tools.update(items);
    else lists[list] = items;
  };
  const onListChanged = (list: ListName): void => {
    clearTimeout(debounced.get(list));
    const timer = setTimeout(() => {
      const { connection } = supervisor;
      // That it failed shows when the server is looked at; the list stays as it was.
      if (connection !== undefined) relist(connection, list).catch(() => connection.check());
    }, debounceMs);
    debounced.set(list, timer.unref());
  };

  let failures = 0;
  const open = async (): Promise<Connection> => {
    failures += 1;
    const patient = failures > 1;
    const given = await connectionOptions(options, { lines, patient, onListChanged });
    const connection = await openConnection(given);
    try {
      // What it has besides tools is nice to know.
      const others = (['resources', 'prompts'] as const).map((list) => relist(connection, list).catch(() => undefined));
      await Promise.all([relist(connection, 'tools'), ...others]);
    } catch (error) {
      await connection.forgetVerdict();
      await connection.close();
      throw error;
    }
    failures = 0;
    facts = connection.facts;
    return connection;
  };
  const supervisor = new Supervisor({
    server: options.name,
    open,
    redact,
    onChange: changed,
    idleStopMs: options.idleStopMs,
  });

  return {
    server: options.name,
    adapter: `mcp:${options.name}`,
    ...(options.required === undefined ? {} : { required: options.required }),
    limits: limitsOf(options),
    state() {
      const { down } = supervisor;
      const { instructions } = facts ?? {};
      return (state ??= {
        ...tools.listing,
        ...(instructions === undefined ? {} : { instructions }),
        ...(down === undefined ? {} : { down }),
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      for (const timer of debounced.values()) clearTimeout(timer);
      await supervisor.stop();
      changed();
    },
    ready: () => supervisor.ready(),
    restart: () => supervisor.restart(),
    drained: (withinMs) => supervisor.drained(withinMs),
    health: () => ({ ...supervisor.supervision, ...facts, stderr: lines.all() }),
    resources: () => lists.resources,
    prompts: () => lists.prompts,
  };
}
