import type { Command } from 'commander';
import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { messageOf } from '../../../core/errors.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { Effect, ToolDefinition } from '../../../core/tools/tool.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { runnable } from '../../terminal/invocation.ts';
import { loadHost } from '../../../host/load-host.ts';
import { localTime } from '../../terminal/time.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { oneLine } from '../../terminal/escape.ts';
import { ProgressLine, startingServersMessage } from '../../terminal/progress-line.ts';
import { isSettled, waitForCatalog } from '../../client/remote-catalog.ts';
import { connectToServer } from '../../client/connect-to-server.ts';
import { Table } from '../../terminal/table.ts';
import { printWarning, printWarnings } from '../../terminal/warnings.ts';

/** The maximum time to wait for servers that are starting. */
const waitMs = 10_000;

/** `signalbox tools`: lists the catalog. */
export function addToolsCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('tools')
    .summary('list the tools that can be called')
    .description(
      'Lists the tools of the running server or, without one, of the configuration. With --why, also lists hidden tools and the reason.',
    )
    .option('--profile <name>', 'only the tools that a client with this profile sees')
    .option('--why', 'also show hidden tools, servers that are down, and problems of definitions, with the reason')
    .action(async (options: { why?: boolean; profile?: string }, command: Command) => {
      const globals = readGlobalOptions(command);
      const server = await connectToServer(globals, terminal.errors);
      const catalog =
        server === undefined
          ? await localCatalog(globals, options, terminal)
          : await new ProgressLine(terminal.errors).during('waiting for its servers', () =>
              waitForCatalog(server.client, isSettled, { ...options, waitMs }),
            );
      const why = options.why === true;
      if (globals.json) await printJson(terminal.output, why ? withReasons(catalog) : { items: catalog.tools });
      else await printCatalog(terminal.output, catalog, why);
    });
}

/** Starts the servers of the configuration and returns their catalog. */
async function localCatalog(
  globals: GlobalOptions,
  { profile }: { readonly profile?: string },
  { errors }: Terminal,
): Promise<CatalogSnapshot> {
  const { openBoxForDiagnosis, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  await printWarnings(configuration, globals, errors);
  const { box } = await new ProgressLine(errors).during(
    startingServersMessage(configuration),
    async () => await openBoxForDiagnosis(configuration, { secretsFrom: globals.data }),
  );
  try {
    return box.catalog(profile === undefined ? {} : { profile });
  } finally {
    // The person sees these definitions, so a later change of them must ask.
    const firstSeen = box.pins.firstSeen();
    await box.close();
    await savePins(configuration, globals, firstSeen, errors);
  }
}

/** Stores pins for the definitions that a command without records saw first. Prints a warning when that fails. */
export async function savePins(
  configuration: Configuration,
  { data }: GlobalOptions,
  firstSeen: ReadonlyMap<string, string>,
  errors: Printer,
): Promise<void> {
  if (firstSeen.size === 0) return;
  try {
    const { storeFirstPins } = await import('../../../host/store/stored-pins.ts');
    await storeFirstPins(configuration, data, firstSeen);
  } catch (error) {
    await printWarning(errors, `definitions seen first could not be pinned: ${oneLine(messageOf(error))}`);
  }
}

function withReasons({ tools, hidden, servers, notices }: CatalogSnapshot): object {
  return { items: tools, hidden, servers, notices };
}

async function printCatalog(printer: Printer, catalog: CatalogSnapshot, why: boolean): Promise<void> {
  await printTools(printer, catalog);
  if (why) await printReasons(printer, catalog);
  else await printHint(printer, catalog);
}

/** Prints tools with their effects; suspicious ones are marked. */
export async function printTools(
  printer: Printer,
  { tools, notices }: Pick<CatalogSnapshot, 'tools' | 'notices'>,
): Promise<void> {
  const suspicious = suspiciousTools(notices);
  const { colors } = printer;
  const paint: Readonly<Record<Effect, (text: string) => string>> = {
    read: colors.green,
    undoable: colors.yellow,
    compensable: colors.yellow,
    irreversible: colors.red,
  };
  const table = new Table<ToolDefinition>(
    [
      { heading: 'NAME', cell: ({ name }) => `${name}${suspicious.has(name) ? ' ⚠' : ''}` },
      { heading: 'SERVER', cell: ({ id }) => id.server, optional: true },
      {
        heading: 'EFFECT',
        cell: ({ effect, unaccepted }) =>
          unaccepted === undefined ? paint[effect](effect) : colors.red(`${effect}, ${unaccepted.kind}`),
      },
      { heading: 'DESCRIPTION', cell: ({ description }) => oneLine(description) },
    ],
    tools,
    printer,
  );
  await printer.print(table.text());
}

async function printReasons(printer: Printer, { servers, hidden, notices }: CatalogSnapshot): Promise<void> {
  const { colors } = printer;
  const lines = [''];
  for (const { name, status, tools, since, reason, connecting } of servers) {
    const paint = status === 'up' ? colors.green : status === 'down' ? colors.red : colors.yellow;
    const what = status === 'up' ? pluralize(tools, 'tool') : `since ${localTime(since)}${reasonSuffix(name, reason)}`;
    lines.push(`${colors.bold(name)} is ${connecting === true ? colors.yellow('connecting') : paint(status)}, ${what}`);
    for (const tool of hidden.filter((one) => one.server === name)) {
      // The line of the server already has the reason why all its tools are hidden.
      const why = tool.by === 'server-down' || tool.by === 'server-disabled' ? tool.by : oneLine(tool.reason);
      lines.push(`  hidden ${tool.name} ${colors.dim(`(${why})`)}`);
    }
    for (const notice of notices.filter((one) => one.server === name)) {
      const label = notice.isSuspicious === true ? colors.red('suspicious') : colors.yellow('notice');
      lines.push(`  ${label} ${notice.tool}: ${oneLine(notice.message)}`);
    }
  }
  await printer.print(`${lines.join('\n')}\n`);
}

/** Returns the reason without the part that the line already states. */
function reasonSuffix(server: string, reason = ''): string {
  const rest = [
    `server "${server}" is disabled`,
    `server "${server}" is down: `,
    `server "${server}" is still starting`,
  ].reduce((text, known) => text.replace(known, ''), reason);
  return rest === '' ? '' : `: ${oneLine(rest)}`;
}

function suspiciousTools(notices: CatalogSnapshot['notices']): ReadonlySet<string> {
  return new Set(notices.filter(({ isSuspicious }) => isSuspicious === true).map(({ tool }) => tool));
}

async function printHint(printer: Printer, { tools, servers, hidden, notices }: CatalogSnapshot): Promise<void> {
  const notUp = servers.filter((server) => server.status !== 'up').length;
  const suspicious = suspiciousTools(notices).size;
  const unaccepted = tools.filter((tool) => tool.unaccepted !== undefined).length;
  if (notUp + hidden.length + suspicious + unaccepted === 0) return;
  const parts = [
    ...(notUp === 0 ? [] : [`${notUp} ${notUp === 1 ? 'server is' : 'servers are'} not up`]),
    ...(hidden.length === 0 ? [] : [`${hidden.length} ${hidden.length === 1 ? 'tool is' : 'tools are'} hidden`]),
    ...(suspicious === 0 ? [] : [`${suspicious} ${suspicious === 1 ? 'looks' : 'look'} suspicious (⚠)`]),
    ...(unaccepted === 0 ? [] : [`${unaccepted} ask until their definitions are accepted`]),
  ];
  await printer.print(
    `${printer.colors.dim(`${parts.join(', ')}; ${runnable('signalbox tools --why')} shows the reasons`)}\n`,
  );
}
