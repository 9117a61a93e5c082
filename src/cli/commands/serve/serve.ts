import type { Configuration } from '../../../config/configuration.ts';
import { configurationFiles } from '../../../config/file/configuration-files.ts';
import type { PendingBox } from '../../../host/box/open-box.ts';
import { FileWatch } from '../../../host/daemon/file-watch.ts';
import { onNpmExit } from '../../../host/daemon/npm-parent.ts';
import { type RunFile, readRunFiles } from '../../../host/daemon/run-files.ts';
import type { ReadyServer, ServeSettings } from '../../../host/daemon/run-server.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { thisMachine } from '../../../host/environment.ts';
import { loadHost } from '../../../host/load-host.ts';
import { onModuleFile } from '../../../host/modules/tool-modules.ts';
import { type ProcessRole, processRoles } from '../../../server/server-options.ts';
import { isPostgresAddress } from '../../../store/postgres/address.ts';
import { isSamePath } from '../../client/connect-to-server.ts';
import { fetchRunningServerStatus } from '../../client/running-server-status.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { printable } from '../../terminal/escape.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { createHostLog, printWarnings } from '../../terminal/warnings.ts';
import { StartupProgress } from './startup-progress.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { existsSync } from 'node:fs';

interface ServeOptions extends ServeSettings {
  /** Whether to start although a server of the same configuration runs on the data directory. */
  readonly force?: boolean;
}

/** `signalbox serve`: runs the server with the HTTP API and the console. */
export function addServeCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('serve')
    .summary('start the server: console, HTTP API, MCP endpoint, sessions with agents')
    .description(
      'Starts the server, which runs until Ctrl-C or SIGTERM. It then waits for running turns and calls, and stops. ' +
        'It refuses to start while a server with the same configuration runs on the data directory, unless the store is PostgreSQL.',
    )
    .option(
      '--port <port>',
      'the port to listen on, 0 for any free one; without the option, the next free one when 4242 is taken',
      parsePort,
      4242,
    )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--allowed-host <name>',
      'another host and port to accept, for a proxy in front (repeatable)',
      (name: string, names: readonly string[]) => [...names, name],
      [],
    )
    .addOption(
      new Option(
        '--role <role>',
        'with other processes on one PostgreSQL: "web" runs no turns and no jobs, "worker" runs them and answers only probes',
      )
        .choices(processRoles)
        .default('all'),
    )
    .option('--turns <count>', 'how many turns run at once, without those that wait for a human', parseCount, 32)
    .option(
      '--max-calls <number>',
      'how many calls can run at once; further calls are rejected with 503 (4096)',
      parseCount,
    )
    .option(
      '--drain-seconds <seconds>',
      'how long to keep serving after a stop signal, while reporting not ready',
      parseSeconds,
      0,
    )
    .option('--grace-seconds <seconds>', 'how long to wait after that for running turns and calls', parseSeconds, 5)
    .option('--force', 'start even if a server with this configuration runs on the data directory')
    .action(async (given: Omit<ServeOptions, 'mayMovePort'>, command: Command) => {
      const options = { ...given, mayMovePort: command.getOptionValueSource('port') === 'default' };
      await serve(options, readGlobalOptions(command), terminal);
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 (any free one) to 65535.');
  return port;
}

/** Throws a usage error for a role that needs other processes, when the store cannot be shared. */
async function assertRole({ role }: ServeOptions, configuration: Configuration, data: string): Promise<void> {
  const { store } = configuration;
  if (role === 'all') return;
  const { assertTrusted } = await loadHost();
  await assertTrusted(configuration, data);
  const { resolveStoreAddress } = await import('../../../host/store/open-store.ts');
  if (isPostgresAddress(await resolveStoreAddress(store, data))) return;
  throw usageError(
    `--role ${role} needs other processes on the same PostgreSQL, but "store" is ${JSON.stringify(store)}`,
    'set "store": "postgres://…" in the configuration, or SIGNALBOX_STORE; or omit --role',
  );
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return Number(text);
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.');
  return Number(text);
}

async function serve(options: ServeOptions, globals: GlobalOptions, terminal: Terminal): Promise<void> {
  const { startConfiguredServers, readConfiguration } = await loadHost();
  const { configuration, file } = readConfiguration(globals);
  const { data } = globals;
  await assertRole(options, configuration, data);
  await assertOnlyServer(configuration, globals, terminal.errors, options.force === true);
  const watch = new FileWatch();
  watch.watch(configurationFiles(configuration));
  onModuleFile((changeable) => watch.add(changeable));
  await printWarnings(configuration, globals, terminal.errors);
  const interruption = new Interruption();
  // Ctrl-C reaches npm and this process, so the exit of npm must not count as a second signal.
  const stopWatchingNpm = onNpmExit(() => interruption.signal.aborted || interruption.interrupt('SIGTERM'));
  const progress = new StartupProgress(terminal.errors);
  let pending: PendingBox | undefined;
  try {
    pending = await startConfiguredServers(configuration, { data, secretsFrom: data });
    // Loaded while the external servers start.
    const { runServer } = await import('../../../host/daemon/run-server.ts');
    await runServer({
      settings: options,
      location: globals,
      file,
      watch,
      pending,
      signal: interruption.signal,
      log: createHostLog(progress.errors),
      async onReady(server) {
        await printReady(server, options.role, configuration, globals, terminal);
        return progress.follow(server.box);
      },
    });
  } finally {
    await pending?.close();
    stopWatchingNpm();
    interruption.stop();
  }
}

async function printReady(
  server: ReadyServer,
  role: ProcessRole,
  configuration: Configuration,
  { json }: GlobalOptions,
  { output }: Terminal,
): Promise<void> {
  const { box, sessions, url, port, signInUrl } = server;
  const { version } = box;
  if (json) {
    const agents = sessions.agents().map(({ name }) => name);
    const facts = { version, role, url, port, journal: box.journal.location, agents };
    return await printJson(output, role === 'worker' ? facts : { ...facts, signInUrl });
  }
  const { countImportableServers } = await import('../../../config/import/prepare-import.ts');
  const { banner } = await import('./banner.ts');
  const found = await countImportableServers(configuration, thisMachine(process.cwd()));
  await output.print(banner({ ...server, role, found }, output));
}

/**
 * Rejects with `server-running` when a server of the same configuration runs on the data directory, unless `isForced`: two of them would
 * start every program and run every job twice. Prints a note for a server of another configuration, which writes to the same journal.
 * Replicas on PostgreSQL share their work, and one that is stopping makes room.
 */
async function assertOnlyServer(
  { file, store }: Pick<Configuration, 'file' | 'store'>,
  { data, json }: GlobalOptions,
  errors: Printer,
  isForced: boolean,
): Promise<void> {
  if (store !== 'sqlite') return;
  for (const server of readRunFiles(data)) {
    const { key: _key, ...asked } = server;
    if ((await fetchRunningServerStatus(asked)).status === 'stopping') continue;
    const where = `${server.url} (process ${server.pid})`;
    if (isServerOf(server, file) && !isForced) {
      const what = `a server with this configuration already runs on ${shortPath(data)}: ${where}`;
      throw new CliError(1, 'server-running', what, {
        data: { url: server.url, pid: server.pid },
        next: 'signalbox open shows its console; stop it first, or add --force to start another one beside it',
      });
    }
    const { configuration = '' } = server;
    const its = existsSync(configuration) ? printable(shortPath(configuration)) : 'no configuration file';
    if (!json)
      await errors.print(
        `note: a server with ${its} runs on ${shortPath(data)} too, and both write to one journal: ${where}\n`,
      );
  }
}

/** Returns whether a server runs from this file; without a file, all servers run from the same defaults. */
function isServerOf({ configuration = '' }: RunFile, file: string): boolean {
  return existsSync(file) ? isSamePath(configuration, file) : !existsSync(configuration);
}
