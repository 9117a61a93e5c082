import { closestMatch } from '../core/text/closest-match.ts';
import { type CommandContext, addGlobalOptions } from './command-context.ts';
import { usageError } from './cli-error.ts';
import { Command } from 'commander';
import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

/** The commands in the order of the help text. A key lists the names that a loader adds. Add a command here. Each loads on demand. */
const commands: Readonly<Record<string, () => Promise<(program: Command, context: CommandContext) => void>>> = {
  serve: async () => (await import('./commands/serve/serve.ts')).addServeCommand,
  open: async () => (await import('./commands/serve/open.ts')).addOpenCommand,
  stdio: async () => (await import('./commands/serve/stdio.ts')).addStdioCommand,
  init: async () => (await import('./commands/configuration/init.ts')).addInitCommand,
  import: async () => (await import('./commands/configuration/import.ts')).addImportCommand,
  add: async () => (await import('./commands/configuration/add.ts')).addAddCommand,
  remove: async () => (await import('./commands/configuration/remove-enable-disable.ts')).addRemoveCommand,
  'enable disable': async () =>
    (await import('./commands/configuration/remove-enable-disable.ts')).addEnableDisableCommands,
  trust: async () => (await import('./commands/access/trust.ts')).addTrustCommand,
  secret: async () => (await import('./commands/access/secret.ts')).addSecretCommand,
  login: async () => (await import('./commands/access/login.ts')).addLoginCommand,
  logout: async () => (await import('./commands/access/login.ts')).addLogoutCommand,
  tools: async () => (await import('./commands/calls/tools.ts')).addToolsCommand,
  call: async () => (await import('./commands/calls/call.ts')).addCallCommand,
  approvals: async () => (await import('./commands/approvals/approvals.ts')).addApprovalsCommand,
  approve: async () => (await import('./commands/approvals/approve-deny.ts')).addApproveCommand,
  deny: async () => (await import('./commands/approvals/approve-deny.ts')).addDenyCommand,
  jobs: async () => (await import('./commands/sessions/jobs.ts')).addJobsCommand,
  'elicitations answer': async () => (await import('./commands/sessions/elicitations.ts')).addElicitationCommands,
  undo: async () => (await import('./commands/calls/undo.ts')).addUndoCommand,
  journal: async () => (await import('./commands/journal/journal.ts')).addJournalCommand,
  backup: async () => (await import('./commands/journal/backup.ts')).addBackupCommand,
  migrate: async () => (await import('./commands/journal/migrate.ts')).addMigrateCommand,
  replay: async () => (await import('./commands/calls/replay.ts')).addReplayCommand,
  settle: async () => (await import('./commands/calls/settle.ts')).addSettleCommand,
  token: async () => (await import('./commands/access/token.ts')).addTokenCommand,
  lock: async () => (await import('./commands/lock/lock.ts')).addLockCommand,
  policy: async () => (await import('./commands/policy/policy.ts')).addPolicyCommand,
  status: async () => (await import('./commands/serve/status.ts')).addStatusCommand,
  doctor: async () => (await import('./commands/doctor/doctor.ts')).addDoctorCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
};

/** Creates the program with the commands that the command line names, or with all of them when it names none, as for `--help`. */
export async function createProgram(context: CommandContext, argv: readonly string[] = []): Promise<Command> {
  const { output, errors } = context.terminal;
  const program = new Command('signalbox')
    .description('A gateway for the tool calls of AI agents: every call is validated, decided by policy and recorded.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true, helpWidth: output.width ?? 100 })
    // `reportError` prints all errors in one format.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void output.print(text),
      writeErr: () => undefined,
      getOutHasColors: () => output.colors.isColorSupported,
      getErrHasColors: () => errors.colors.isColorSupported,
    })
    .addHelpText('after', examples);
  addGlobalOptions(program);
  if (argv[0] === '--version') return program;
  const all = Object.entries(commands);
  const named = all.filter(([names]) => names.split(' ').some((name) => argv.includes(name)));
  const wanted = named.length === 0 || needsAllCommands(argv[0]) ? all : named;
  for (const add of await Promise.all(wanted.map(([, load]) => load()))) add(program, context);
  if (argv[0] === 'help') assertHelpTopic(program, argv.slice(1));
  return program;
}

/** Throws a usage error that suggests the closest command. Commander would report a missing command instead. */
function assertHelpTopic(program: Command, words: readonly string[]): void {
  let command = program;
  const path = [program.name()];
  for (const word of words) {
    if (word === 'help' || word.startsWith('-')) continue;
    const names = command.commands.map((each) => each.name());
    const inner = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (inner === undefined) {
      const meant = closestMatch(word, names);
      const lines = meant === undefined ? [] : [`Did you mean ${meant}?`];
      const what = `unknown command '${[...path.slice(1), word].join(' ')}'`;
      throw usageError(what, `${path.join(' ')} --help`, { lines });
    }
    command = inner;
    path.push(word);
  }
}

/** Returns whether a command line needs all commands: for completion, or to suggest the closest one for an unknown first word. */
function needsAllCommands(first = ''): boolean {
  if (first === 'completion') return true;
  return !first.startsWith('-') && !Object.keys(commands).some((names) => names.split(' ').includes(first));
}

const examples = `
Examples:
  signalbox serve                          start the server: console, HTTP API, MCP endpoint, sessions
  signalbox open                           open the console of the running server, signed in
  signalbox import                         import the MCP servers of other clients
  signalbox tools --why                    list tools, and why others are hidden
  signalbox call ping                      call a tool through the whole pipeline
  signalbox approvals                      list the calls that wait for your answer
  signalbox journal --since 1h             show the calls of the last hour
  signalbox token create --role agent      create a token for an agent
  signalbox status                         show what runs, and what waits for you
  signalbox doctor                         check the installation

Exit codes: 0 success, 1 the command failed or found a problem, 2 invalid usage or configuration.`;

const optionsWithValue = new Set(['--config', '--data']);

/** Returns the command that a command line names, as far as it is known: `signalbox token create`. */
export function commandPath(program: Command, argv: readonly string[]): string {
  let command = program;
  const path = [program.name()];
  for (const [index, word] of argv.entries()) {
    if (word.startsWith('-') || optionsWithValue.has(argv[index - 1] ?? '')) continue;
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined) break;
    command = named;
    path.push(word);
  }
  return path.join(' ');
}
