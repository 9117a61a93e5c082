import type { Readable, Writable } from 'node:stream';
import type { Principal } from '../../core/principal.ts';
import type { ClientName } from '../../surfaces/mcp/protocol/client-info.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import type { PendingBox } from '../box/open-box.ts';
import type { HostLocation } from '../data-directory.ts';
import type { HostLog } from '../host-log.ts';
import { readConfiguration } from '../read-configuration.ts';
import { tuneGarbageCollection } from '../tune-v8.ts';
import type { FileWatch } from './file-watch.ts';
import { followConfiguration } from './follow-configuration.ts';

/** Options of `runStdio`. */
export interface RunStdioOptions {
  readonly location: HostLocation;
  /** The directory of the configuration. */
  readonly directory: string;
  /** The profile of the client; all tools by default. */
  readonly profile: string | undefined;
  readonly watch: FileWatch;
  readonly pending: PendingBox;
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted to stop serving. */
  readonly signal: AbortSignal;
  readonly log: HostLog;
}

const graceMs = 5000;
const startDelayMs = 20;

/** Serves one MCP client on two streams until the input ends or the signal is aborted. */
export async function runStdio(options: RunStdioOptions): Promise<void> {
  const { location, directory, profile, watch, pending, input, output, signal, log } = options;
  let configured: ConfiguredBox | undefined;
  let stopFollowing: (() => void) | undefined;
  try {
    configured = await pending.open();
    stopFollowing = followConfiguration(watch, configured, () => readConfiguration(location).configuration, log);
    const [{ McpEndpoint }, { serveStdio }] = await Promise.all([
      import('../../surfaces/mcp/mcp-endpoint.ts'),
      import('../../surfaces/mcp/stdio/serve-stdio.ts'),
    ]);
    const endpoint = new McpEndpoint({ box: configured.box });
    const view = endpoint.view(profile);
    tuneGarbageCollection();
    // The delay lets this process answer the client's first message before it starts more programs.
    setTimeout(() => pending.startAll(), startDelayMs).unref();
    const principalOf = (client: ClientName): Principal => stdioPrincipal(client, directory);
    const principal = principalOf({ name: '', version: '' });
    await serveStdio({
      endpoint,
      peer: { principal, view, principalOf },
      input,
      output,
      signal,
      graceMs,
      log: (line) => log.info(line),
    });
    endpoint.close();
  } finally {
    stopFollowing?.();
    await configured?.close();
  }
}

/**
 * Returns the principal of a client, identified by its name and its project. Both are unverified: the program that started this process
 * runs as the user anyway. They only distinguish honest clients.
 */
function stdioPrincipal({ name }: ClientName, directory: string): Principal {
  return { id: `stdio:${name === '' ? 'unnamed' : name} in ${directory}`, kind: 'agent' };
}
