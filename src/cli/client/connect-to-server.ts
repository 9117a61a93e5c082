import { existsSync, realpathSync } from 'node:fs';
import { locateConfiguration } from '../../config/file/configuration-files.ts';
import { messageOf } from '../../core/errors.ts';
import { CliError } from '../cli-error.ts';
import { type GlobalOptions } from '../command-context.ts';
import { shortPath } from '../../host/data-directory.ts';
import { printable } from '../terminal/escape.ts';
import { type RunFile, readRunFiles } from '../../host/daemon/run-files.ts';
import type { Printer } from '../terminal/terminal.ts';
import { ServerClient } from './server-client.ts';

/** A running server that accepts this command. */
export interface CommandServer {
  readonly client: ServerClient;
  readonly url: string;
  /** The path of its configuration file, which may not exist. */
  readonly configuration: string;
}

/** The first request loads the routes, which takes long on a busy machine. */
const requestTimeoutMs = 30_000;

interface Info {
  readonly product: string;
  readonly configuration?: { readonly file: string };
}

/**
 * Finds the server that a command should talk to: one that runs on its data directory, from the same configuration unless the command
 * has none. Returns `undefined` when the command has to work without one, and prints why it cannot use a server that runs.
 */
export async function connectToServer(globals: GlobalOptions, errors: Printer): Promise<CommandServer | undefined> {
  // A configuration that was named and does not exist is an error, which the command reports.
  if (globals.local || (globals.config !== undefined && !existsSync(globals.config))) return undefined;
  for (const server of reachableServers(globals.data)) {
    const found = await askConfiguration(server);
    if ('client' in found && isConfigurationOf(globals, found.configuration)) return found;
    const problem =
      'problem' in found
        ? `does not answer (${found.problem})`
        : existsSync(found.configuration)
          ? `runs another configuration (${shortPath(found.configuration)})`
          : 'runs without a configuration file, and this command has one';
    if (!globals.json)
      await errors.print(`note: the server at ${server.url} ${printable(problem)}; this command works without it\n`);
  }
  return undefined;
}

/** Returns whether a command may talk to a server of this configuration: it uses the same file, or has none. */
export function isConfigurationOf(globals: GlobalOptions, configuration: string): boolean {
  const own = locateConfiguration(globals.config);
  return own === undefined || isSamePath(own, configuration);
}

/** Adds the configuration of the running server when the command has none: its records may be outside the default location. */
export function withConfigurationOfServer(globals: GlobalOptions): GlobalOptions {
  if (globals.local || locateConfiguration(globals.config) !== undefined) return globals;
  const [server] = reachableServers(globals.data);
  const file = server?.configuration;
  return file !== undefined && isSamePath(file, file) ? { ...globals, config: file } : globals;
}

/** Returns the servers that accept commands, the newest first. */
export function reachableServers(data: string): readonly (RunFile & { readonly key: string })[] {
  return readRunFiles(data)
    .filter((server): server is RunFile & { key: string } => server.key !== undefined)
    .filter(({ role }) => role !== 'worker')
    .toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

async function askConfiguration(
  server: RunFile & { readonly key: string },
): Promise<CommandServer | { readonly problem: string }> {
  const { url, key, configuration = '' } = server;
  const client = new ServerClient(url, key);
  try {
    const info = await client.request<Info>('GET', '/api/info', { timeoutMs: requestTimeoutMs });
    if (info.product !== 'Signalbox') return { problem: 'another program answers at this address' };
    return { client, url, configuration: info.configuration?.file ?? configuration };
  } catch (error) {
    return { problem: messageOf(error instanceof CliError ? (error.cause ?? error) : error) };
  }
}

/** Returns whether two paths lead to the same existing file. */
export function isSamePath(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
