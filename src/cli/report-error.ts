import { relative } from 'node:path';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../config/configuration-error.ts';
import { UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import { type DocumentProblem, renderProblem } from '../core/text/document-problem.ts';
import { type ErrorCode, SignalboxError, messageOf } from '../core/errors.ts';
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
  const reported =
    error instanceof UntrustedConfigurationError
      ? (await import('./untrusted-configuration.ts')).untrustedError(error)
      : toCliError(error, command);
  const { code, message, exitCode, details } = reported;
  const { lines = [], data } = details;
  const stack = isDebug() && error instanceof Error ? error.stack : undefined;
  const next = details.next === undefined ? undefined : runnable(details.next);
  if (json) {
    await printer.print(`${JSON.stringify({ error: { code, message, ...data, next, stack } })}\n`);
    return exitCode;
  }
  const { colors } = printer;
  const [first = '', ...more] = printable(message).split('\n');
  const block = [
    `${colors.red('error')} ${colors.bold(code)}: ${first}`,
    ...[...more, ...lines].map((line) => `  ${line}`),
    ...(next === undefined ? [] : [`  ${colors.dim('next:')} ${next}`]),
    ...(stack === undefined ? [] : [colors.dim(stack)]),
  ];
  await printer.print(`${block.join('\n')}\n`);
  return exitCode;
}

function toCliError(error: unknown, command: string): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return fromCommander(error, `${command} --help`);
  if (error instanceof ConfigurationError) return fromConfiguration(error);
  if (error instanceof SignalboxError) {
    const { code, message } = error;
    const next = nextSteps[code] ?? 'signalbox doctor';
    return new CliError(usageCodes.has(code) ? 2 : 1, code, message, { next, cause: error });
  }
  if (error instanceof HostError)
    return new CliError(error.code === 'usage' ? 2 : 1, error.code, error.message, { next: error.next, cause: error });
  return new CliError(1, 'internal-fault', messageOf(error), {
    next: 'run the command again with SIGNALBOX_DEBUG=1 to see the stack trace',
    cause: error,
  });
}

function fromCommander({ code, message }: CommanderError, next: string): CliError {
  if (code === 'commander.help') return usageError('a command is missing', next);
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const lines = [...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')), ...suggestChoice(what)];
  return usageError(what, next, { lines });
}

/** Suggests the closest allowed value. Commander only suggests commands and options. */
function suggestChoice(message: string): string[] {
  const [, given = '', choices = ''] = / '([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message) ?? [];
  const meant = closestMatch(given, choices.split(', '));
  return meant === undefined || meant === '' ? [] : [`Did you mean ${meant}?`];
}

function fromConfiguration(error: ConfigurationError): CliError {
  const { code, problems } = error;
  const what =
    problems.length === 1 ? 'the configuration cannot be used' : `the configuration has ${problems.length} problems`;
  const lines = problems.map(formatProblem);
  return new CliError(2, code, what, { lines, data: { problems }, next: 'signalbox doctor', cause: error });
}

/** Formats a problem with its file, line and column, which editors and terminals make clickable. */
export function formatProblem(problem: DocumentProblem): string {
  const near = relative(process.cwd(), problem.file);
  const file = near === '' || near.startsWith('..') ? problem.file : near;
  return printable(renderProblem({ ...problem, file }));
}

/** The next steps for errors that `signalbox doctor` does not explain. */
const nextSteps: Partial<Record<ErrorCode, string>> = {
  'undo-unavailable': 'signalbox journal',
  'undo-done': 'signalbox journal',
  'approval-unknown': 'signalbox approvals --all',
  'approval-answered': 'signalbox approvals --all',
  'approval-expired': 'signalbox approvals --all',
  'elicitation-unknown': 'signalbox elicitations',
  'elicitation-closed': 'signalbox elicitations',
  'elicitation-invalid': 'signalbox answer --help',
  'rule-unknown': 'signalbox approvals rules',
  'job-unknown': 'signalbox jobs',
  'job-invalid': 'signalbox jobs create --help',
  'token-unknown': 'signalbox token list',
  'token-invalid': 'signalbox token create --help',
  'call-unknown': 'signalbox journal',
  'call-settled': 'signalbox journal --outcome unknown',
  'reveal-unavailable': 'signalbox approve --help',
  'hidden-unacknowledged': 'signalbox approvals show ID --reveal',
  'approver-refused': 'signalbox approve --help',
  'edit-invalid': 'signalbox approve --help',
  'remember-refused': 'signalbox approve --help',
};

/** The errors of invalid usage or configuration. */
const usageCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'elicitation-invalid',
  'job-invalid',
  'token-invalid',
  'hidden-unacknowledged',
  'approver-refused',
  'edit-invalid',
  'remember-refused',
  'name-invalid',
  'name-collision',
  'server-unknown',
  'profile-unknown',
  'server-local',
  'tool-invalid',
  'schema-unsupported',
  'event-unknown',
  'secret-invalid',
  'policy-invalid',
  'model-unusable',
  'session-invalid',
  'agent-unknown',
  'setting-refused',
  'configuration-untrusted',
]);
