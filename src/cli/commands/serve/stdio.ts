import type { Command } from 'commander';
import { configurationFiles } from '../../../config/file/configuration-files.ts';
import { UntrustedConfigurationError } from '../../../config/trust/untrusted-error.ts';
import type { PendingBox } from '../../../host/box/open-box.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { createHostLog, printWarnings } from '../../terminal/warnings.ts';
import { Interruption, interruptible } from '../../terminal/interruption.ts';
import { loadHost } from '../../../host/load-host.ts';
import { FileWatch } from '../../../host/daemon/file-watch.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { onModuleFile } from '../../../host/modules/tool-modules.ts';

/** `signalbox stdio`: serves the MCP endpoint on standard input and output. */
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
        await serveStdio(profile, readGlobalOptions(command), terminal);
      } catch (error) {
        // On a terminal, `main` asks the user for trust.
        if (!(error instanceof UntrustedConfigurationError) || terminal.canAsk) throw error;
        await refuse(error, terminal);
        exitWith(2);
      }
    });
}

/** Reports the error to the client, which shows it to its user, and to standard error, which the client logs. */
async function refuse(error: UntrustedConfigurationError, { input, output, errors }: Terminal): Promise<void> {
  const { refuseStdio } = await import('../../../surfaces/mcp/stdio/serve-stdio.ts');
  const { trustCommand } = await import('../../untrusted-configuration.ts');
  const { reportError } = await import('../../report-error.ts');
  const { runnable } = await import('../../terminal/invocation.ts');
  await reportError(error, errors, false);
  const next = runnable(trustCommand(error));
  await interruptible(({ signal }) =>
    refuseStdio({
      input,
      output: output.stream,
      signal: AbortSignal.any([signal, output.closed]),
      message: `Signalbox serves no tools: ${error.message}. Run this in a terminal, then connect again: ${next}`,
      data: { code: error.code, next },
    }),
  );
}

async function serveStdio(
  profile: string | undefined,
  globals: GlobalOptions,
  { input, output, errors }: Terminal,
): Promise<void> {
  const { assertNotStartedByItself, readConfiguration, startConfiguredServers } = await loadHost();
  const { configuration, file } = readConfiguration(globals);
  if (file !== undefined) assertNotStartedByItself(configuration);
  const watch = new FileWatch();
  watch.watch(configurationFiles(configuration));
  onModuleFile((changeable) => watch.add(changeable));
  await printWarnings(configuration, globals, errors);
  const { data } = globals;
  const interruption = new Interruption();
  let pending: PendingBox | undefined;
  try {
    pending = await startConfiguredServers(configuration, { data, secretsFrom: data });
    // Loaded while the external servers start.
    const { runStdio } = await import('../../../host/daemon/run-stdio.ts');
    await runStdio({
      location: { config: file ?? globals.config, data },
      directory: configuration.directory,
      profile,
      watch,
      pending,
      input,
      output: output.stream,
      signal: AbortSignal.any([interruption.signal, output.closed]),
      log: createHostLog(errors),
    });
  } finally {
    await pending?.close();
    interruption.stop();
  }
}
