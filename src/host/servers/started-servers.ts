import type { Configuration, ExternalEntry, ServerEntry } from '../../config/configuration.ts';
import type { McpServer } from '../../sources/mcp/mcp-server.ts';
import type { ServerStartContext } from './external-server.ts';

/** The external servers that were started before their box was created. */
export class StartedServers {
  readonly #all: readonly McpServer[];
  readonly #remaining: Map<string, McpServer>;

  /** Starts the external servers of a configuration. */
  static async start(
    { servers }: Pick<Configuration, 'servers'>,
    context: ServerStartContext,
  ): Promise<StartedServers> {
    // Required servers come first in the queue.
    const entries = servers
      .filter(startsWithBox)
      .toSorted((one, other) => Number(other.required === true) - Number(one.required === true));
    if (entries.length === 0) return new StartedServers([]);
    // Imported on demand: not every configuration has external servers.
    const { externalServer } = await import('./external-server.ts');
    const started = new StartedServers(entries.map((entry) => externalServer(entry, context)));
    // Lets the programs be spawned before this process blocks on loading the modules of the box.
    await new Promise(setImmediate);
    return started;
  }

  private constructor(all: readonly McpServer[]) {
    this.#all = all;
    this.#remaining = new Map(all.map((server) => [server.server, server]));
  }

  /** Returns the server of this name and forgets it. */
  take(name: string): McpServer | undefined {
    const server = this.#remaining.get(name);
    this.#remaining.delete(name);
    return server;
  }

  /** Stops all servers, including those that were taken. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.close()));
  }
}

/** Returns whether Claude connects to a server directly, so that nothing is started here. */
export function isPassthrough(entry: ServerEntry): boolean {
  return entry.kind === 'external' && entry.settings.passthrough === true;
}

/** Returns whether an entry is of an external server that is started with the box. */
function startsWithBox(entry: ServerEntry): entry is ExternalEntry {
  return entry.kind === 'external' && !entry.disabled && !isPassthrough(entry);
}
