import type { Command } from 'commander';
import { configurationFiles } from '../config/file/find-configuration.ts';
import type { Configuration } from '../config/configuration.ts';
import { UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import type { PendingBox } from '../host/box/start-servers.ts';
import type { Principal } from '../core/principal.ts';
import type { ClientName } from '../surfaces/mcp/protocol/client-info.ts';
import type { CommandContext } from './command-context.ts';
import type { ConfiguredBox } from '../host/box/configured-box.ts';
import { tuneGarbageCollection } from '../host/tune-v8.ts';
import { type Globals, globalsOf } from './globals.ts';
import { Interruption } from './interruption.ts';
import { loadHost } from '../host/load-host.ts';
import { FileWatch } from '../host/daemon/file-watch.ts';
import { followConfiguration } from '../host/daemon/follow-configuration.ts';
import { assertNotStartedByItself } from '../host/servers/started-by.ts';
import { tellWarnings } from './tell-warnings.ts';
import type { Terminal } from './terminal.ts';
import { onModuleFile } from '../host/modules/tool-modules.ts';

const graceMs = 5000;
const startDelayMs = 20;

/** `signalbox stdio`: the MCP endpoint over standard input and output. */
export function addStdioCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('stdio')
    .summary('serve one MCP client on standard input and output')
    .description(
      'Serves one MCP client, of any protocol revision, on standard input and output. Name it as a server in the configuration of a client. It runs until its input ends.',
    )
    .option('--profile <name>', 'the profile that the client sees (default: all tools)')
    .action(async ({ profile }: { profile?: string }, command: Command) => {
      try {
        await stdio(profile, globalsOf(command), terminal);
      } catch (error) {
        // On a terminal, the person there is asked.
        if (!(error instanceof UntrustedConfigurationError) || terminal.canAsk) throw error;
        await refuse(error, terminal);
        exitWith(2);
      }
    });
}

/** Tells the client, which shows it to its user, and the log of the client. */
async function refuse(error: UntrustedConfigurationError, { input, output, errors }: Terminal): Promise<void> {
  const { refuseStdio } = await import('../surfaces/mcp/stdio/refuse-stdio.ts');
  const { trustCommand } = await import('./trust/pending-trust.ts');
  const { reportFailure } = await import('./report-failure.ts');
  const { runnable } = await import('./invocation.ts');
  await reportFailure(error, errors, false);
  const interruption = new Interruption();
  const next = runnable(trustCommand(error));
  try {
    await refuseStdio({
      input,
      output: output.stream,
      signal: AbortSignal.any([interruption.signal, output.closed]),
      message: `Signalbox serves no tools: ${error.message}. Run this in a terminal, then connect again: ${next}`,
      data: { code: error.code, next },
    });
  } finally {
    interruption.stop();
  }
}

async function stdio(
  profile: string | undefined,
  globals: Globals,
  { input, output, errors }: Terminal,
): Promise<void> {
  const { startConfiguredServers, readConfiguration } = await loadHost();
  const { configuration, file } = readConfiguration(globals);
  if (file !== undefined) assertNotStartedByItself(configuration.directory);
  const watch = new FileWatch();
  watch.watch(configurationFiles(configuration));
  onModuleFile((changeable) => watch.add(changeable));
  await tellWarnings(configuration, globals, errors);
  const read = (): Configuration =>
    readConfiguration(file === undefined ? globals : { ...globals, config: file }).configuration;
  const interruption = new Interruption();
  let begun: PendingBox | undefined;
  let configured: ConfiguredBox | undefined;
  let stop: (() => void) | undefined;
  try {
    const started = await startConfiguredServers(configuration, { data: globals.data, secretsFrom: globals.data });
    begun = started;
    configured = await started.open();
    stop = followConfiguration(watch, configured, read, errors, () => Promise.resolve());
    const [{ McpEndpoint }, { serveStdio }] = await Promise.all([
      import('../surfaces/mcp/mcp-endpoint.ts'),
      import('../surfaces/mcp/stdio/serve-stdio.ts'),
    ]);
    const endpoint = new McpEndpoint({ box: configured.box });
    const view = endpoint.view(profile);
    const signal = AbortSignal.any([interruption.signal, output.closed]);
    tuneGarbageCollection();
    // The delay lets this process answer the client's first message before it starts more programs.
    setTimeout(() => started.startAll(), startDelayMs).unref();
    const principalOf = (client: ClientName): Principal => stdioPrincipal(client, configuration.directory);
    const principal = principalOf({ name: '', version: '' });
    const log = (line: string): void => void errors.print(`${line}\n`);
    await serveStdio({
      endpoint,
      peer: { principal, view, principalOf },
      input,
      output: output.stream,
      signal,
      graceMs,
      log,
    });
    endpoint.close();
  } finally {
    stop?.();
    await configured?.close();
    await begun?.close();
    interruption.stop();
  }
}

/**
 * Returns the principal of a client: its name and the project it works in. Both are as trustworthy as the program that started this
 * process, which runs as the user anyway; they keep two honest clients apart.
 */
function stdioPrincipal({ name }: ClientName, directory: string): Principal {
  return { id: `stdio:${name === '' ? 'unnamed' : name} in ${directory}`, kind: 'agent' };
}
