import type { Configuration, ExternalEntry, ServerEntry } from '../../config/configuration.ts';
import type { McpServer } from '../../sources/mcp/mcp-server.ts';
import type { Starting } from './external-server.ts';

/** Servers outside that start while the box for their tools is still being made. */
export class BegunServers {
  readonly #all: readonly McpServer[];
  readonly #left: Map<string, McpServer>;

  /** Starts those of a configuration. */
  static async of({ servers }: Pick<Configuration, 'servers'>, starting: Starting): Promise<BegunServers> {
    // Required servers come first in the queue.
    const entries = servers
      .filter(isStartedHere)
      .toSorted((one, other) => Number(other.required === true) - Number(one.required === true));
    if (entries.length === 0) return new BegunServers([]);
    // Imported when it is needed: not every box has external servers.
    const { externalServer } = await import('./external-server.ts');
    const begun = new BegunServers(entries.map((entry) => externalServer(entry, starting)));
    // By then their programs run. What comes next is loaded at one go, and they would wait for that.
    await new Promise(setImmediate);
    return begun;
  }

  private constructor(all: readonly McpServer[]) {
    this.#all = all;
    this.#left = new Map(all.map((server) => [server.server, server]));
  }

  /** Hands the server of this name over, once. */
  take(name: string): McpServer | undefined {
    const server = this.#left.get(name);
    this.#left.delete(name);
    return server;
  }

  /** Ends all of them, for a box that could not be made. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.close()));
  }
}

/** Whether Claude reaches a server by itself, so that there is nothing to start here. */
export function isPassed(entry: ServerEntry): boolean {
  return entry.kind === 'external' && entry.settings.passthrough === true;
}

/** Whether an entry is of a server outside that is to run from the start on. */
export function isStartedHere(entry: ServerEntry): entry is ExternalEntry {
  return entry.kind === 'external' && !entry.disabled && !isPassed(entry);
}
