import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addApprovalsCommand } from './approvals/approvals.ts';
import { addApproveCommand } from './approvals/approve.ts';
import { addDenyCommand } from './approvals/deny.ts';
import { addCallCommand } from './call.ts';
import type { CommandContext } from './command-context.ts';
import { addAddCommand } from './configure/add.ts';
import { addImportCommand } from './configure/import.ts';
import { addInitCommand } from './configure/init.ts';
import { addRemoveCommand } from './configure/remove.ts';
import { addSwitchCommands } from './configure/switch.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addGlobalOptions } from './globals.ts';
import { addJournalCommand } from './journal/journal.ts';
import { addLockCommand } from './lock/lock.ts';
import { addSecretCommand } from './secret/secret.ts';
import { addPolicyCommand } from './policy/policy.ts';
import { addReplayCommand } from './replay.ts';
import { addServeCommand } from './serve/serve.ts';
import { addSettleCommand } from './settle.ts';
import { addLoginCommand } from './sign-in/login.ts';
import { addLogoutCommand } from './sign-in/logout.ts';
import { addTokenCommand } from './token/token.ts';
import { addStdioCommand } from './stdio.ts';
import { addToolsCommand } from './tools.ts';
import { addUndoCommand } from './undo.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

/** Puts the commands together. */
export function createProgram(context: CommandContext): Command {
  const { output, errors } = context.terminal;
  const program = new Command('signalbox')
    .description('The one place that every tool call of an AI agent passes through: validated, decided, recorded.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true, helpWidth: output.width ?? 100 })
    // Errors are told by `reportFailure`, in one form for all of them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void output.print(text),
      writeErr: () => undefined,
      getOutHasColors: () => output.colors.isColorSupported,
      getErrHasColors: () => errors.colors.isColorSupported,
    })
    .addHelpText('after', examples);
  addGlobalOptions(program);
  addServeCommand(program, context);
  addStdioCommand(program, context);
  addInitCommand(program, context);
  addImportCommand(program, context);
  addAddCommand(program, context);
  addRemoveCommand(program, context);
  addSwitchCommands(program, context);
  addSecretCommand(program, context);
  addLoginCommand(program, context);
  addLogoutCommand(program, context);
  addToolsCommand(program, context);
  addCallCommand(program, context);
  addApprovalsCommand(program, context);
  addApproveCommand(program, context);
  addDenyCommand(program, context);
  addUndoCommand(program, context);
  addJournalCommand(program, context);
  addReplayCommand(program, context);
  addSettleCommand(program, context);
  addTokenCommand(program, context);
  addLockCommand(program, context);
  addPolicyCommand(program, context);
  addDoctorCommand(program, context);
  return program;
}

const examples = `
Examples:
  signalbox serve                          start the server: HTTP API, MCP endpoint, sessions, page
  signalbox import                         take over the servers of other clients
  signalbox tools --why                    what can be called, and why the rest cannot
  signalbox call ping                      one call, through the whole pipeline
  signalbox approvals                      what waits for your answer
  signalbox journal --since 1h             what was called
  signalbox token create --role agent      lets an agent in over HTTP and MCP
  signalbox doctor                         is everything well?

Exit codes: 0 ok, 1 the thing asked about is wrong, 2 wrong use or configuration.`;
