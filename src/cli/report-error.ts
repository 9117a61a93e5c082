import { relative } from 'node:path';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../config/configuration-error.ts';
import { UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import { type DocumentProblem, renderProblem } from '../core/text/document-problem.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import { isDebug } from '../host/environment.ts';
import { HostError } from '../host/host-error.ts';
import { type ExitCode, CliError, usageError } from './cli-error.ts';
import { runnable } from './terminal/invocation.ts';
import { printable } from './terminal/escape.ts';
import type { Printer } from './terminal/terminal.ts';

/**
 * Prints the error that ended a command, as one block for people or as one JSON object. Returns the exit code. `command` is the command
 * whose help a usage error points to.
 */
export async function reportError(
  error: unknown,
  printer: Printer,
  json: boolean,
  command = 'signalbox',
): Promise<ExitCode> {
  const failure =
    error instanceof UntrustedConfigurationError
      ? (await import('./untrusted-configuration.ts')).untrustedError(error)
      : toFailure(error, command);
  const stack = isDebug() && error instanceof Error ? error.stack : undefined;
  const { lines = [], data } = failure.details;
  const next = failure.details.next === undefined ? undefined : runnable(failure.details.next);
  if (json) {
    const fields = { code: failure.code, message: failure.message, ...data, ...(next === undefined ? {} : { next }) };
    await printer.print(`${JSON.stringify({ error: stack === undefined ? fields : { ...fields, stack } })}\n`);
    return failure.exitCode;
  }
  const { colors } = printer;
  const [first = '', ...more] = printable(failure.message).split('\n');
  const block = [
    `${colors.red('error')} ${colors.bold(failure.code)}: ${first}`,
    ...[...more, ...lines].map((line) => `  ${line}`),
  ];
  if (next !== undefined) block.push(`  ${colors.dim('next:')} ${next}`);
  if (stack !== undefined) block.push(colors.dim(stack));
  await printer.print(`${block.join('\n')}\n`);
  return failure.exitCode;
}

function toFailure(error: unknown, command: string): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return fromCommander(error, `${command} --help`);
  if (error instanceof ConfigurationError) return fromConfiguration(error);
  if (error instanceof SignalboxError) return fromSignalbox(error);
  if (error instanceof HostError)
    return new CliError(error.code === 'usage' ? 2 : 1, error.code, error.message, { next: error.next, cause: error });
  return new CliError(1, 'internal-fault', messageOf(error), {
    next: 'run the command again with SIGNALBOX_DEBUG=1 to see the stack trace',
    cause: error,
  });
}

function fromCommander({ code, message }: CommanderError, next: string): CliError {
  if (code === 'commander.help') return usageError('a command is missing', { next });
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  return usageError(what, {
    lines: [...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')), ...suggestChoice(what)],
    next,
  });
}

/** Suggests the closest allowed value. Commander only suggests commands and options. */
function suggestChoice(message: string): string[] {
  const [, given = '', choices = ''] = / '([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message) ?? [];
  const meant = closestMatch(given, choices.split(', '));
  return meant === undefined || meant === '' ? [] : [`Did you mean ${meant}?`];
}

function fromConfiguration(error: ConfigurationError): CliError {
  const { length } = error.problems;
  return new CliError(
    2,
    error.code,
    length === 1 ? 'the configuration cannot be used' : `the configuration has ${length} problems`,
    {
      lines: error.problems.map(formatProblem),
      data: { problems: error.problems },
      next: 'signalbox doctor',
      cause: error,
    },
  );
}

/** Formats a problem with its file, line and column, which editors and terminals make clickable. */
export function formatProblem(problem: DocumentProblem): string {
  const near = relative(process.cwd(), problem.file);
  const file = near === '' || near.startsWith('..') ? problem.file : near;
  return printable(renderProblem({ ...problem, file }));
}

function fromSignalbox(error: SignalboxError): CliError {
  switch (error.code) {
    case 'store-unavailable':
    case 'store-newer':
    case 'copy-failed':
    case 'journal-pruned':
    case 'result-unknown':
    case 'server-down':
    case 'server-required':
    case 'lock-outdated':
    case 'file-outdated':
    case 'sign-in-refused':
    case 'sign-in-failed':
    case 'file-unwritable':
    case 'file-unreadable':
    case 'secret-unusable':
    case 'server-unavailable':
    case 'content-failed':
    case 'content-denied':
    case 'session-unknown':
    case 'session-busy':
    case 'question-unknown':
    case 'question-answered':
    case 'setting-unknown':
    case 'box-closed':
    case 'checkpoint-failed':
      return new CliError(1, error.code, error.message, { next: 'signalbox doctor', cause: error });
    case 'undo-unavailable':
    case 'undo-done':
      return new CliError(1, error.code, error.message, { next: 'signalbox journal', cause: error });
    case 'approval-unknown':
    case 'approval-answered':
    case 'approval-expired':
      return new CliError(1, error.code, error.message, { next: 'signalbox approvals --all', cause: error });
    case 'elicitation-unknown':
    case 'elicitation-closed':
      return new CliError(1, error.code, error.message, { next: 'signalbox elicitations', cause: error });
    case 'elicitation-invalid':
      return new CliError(2, error.code, error.message, { next: 'signalbox answer --help', cause: error });
    case 'rule-unknown':
      return new CliError(1, error.code, error.message, { next: 'signalbox approvals rules', cause: error });
    case 'job-unknown':
      return new CliError(1, error.code, error.message, { next: 'signalbox jobs', cause: error });
    case 'token-unknown':
      return new CliError(1, error.code, error.message, { next: 'signalbox token list', cause: error });
    case 'job-invalid':
      return new CliError(2, error.code, error.message, { next: 'signalbox jobs create --help', cause: error });
    case 'token-invalid':
      return new CliError(2, error.code, error.message, { next: 'signalbox token create --help', cause: error });
    case 'call-unknown':
      return new CliError(1, error.code, error.message, { next: 'signalbox journal', cause: error });
    case 'call-settled':
      return new CliError(1, error.code, error.message, { next: 'signalbox journal --outcome unknown', cause: error });
    case 'reveal-unavailable':
      return new CliError(1, error.code, error.message, { next: 'signalbox approve --help', cause: error });
    case 'hidden-unacknowledged':
      return new CliError(2, error.code, error.message, { next: 'signalbox approvals show ID --reveal', cause: error });
    case 'approver-refused':
    case 'edit-invalid':
    case 'remember-refused':
      return new CliError(2, error.code, error.message, { next: 'signalbox approve --help', cause: error });
    case 'name-invalid':
    case 'name-collision':
    case 'server-unknown':
    case 'profile-unknown':
    case 'server-local':
    case 'tool-invalid':
    case 'schema-unsupported':
    case 'event-unknown':
    case 'secret-invalid':
    case 'policy-invalid':
    case 'model-unusable':
    case 'session-invalid':
    case 'agent-unknown':
    case 'setting-refused':
    case 'configuration-untrusted':
      return new CliError(2, error.code, error.message, { next: 'signalbox doctor', cause: error });
  }
}
