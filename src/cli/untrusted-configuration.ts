import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Section } from '../config/trust/key-authority.ts';
import type { PendingTrust, UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import { confirm } from './terminal/question.ts';
import { CliError } from './cli-error.ts';
import { shortPath } from '../host/data-directory.ts';
import { exactLine, oneLine } from './terminal/escape.ts';
import { shellWord } from './terminal/invocation.ts';
import type { Terminal } from './terminal/terminal.ts';

const sections: readonly Section[] = ['run', 'load', 'contact', 'read', 'allow', 'apply', 'show', 'set'];

/** Returns a line for each capability that has to be accepted, grouped by verb. */
export function pendingLines({ added, lifted }: Pick<PendingTrust, 'added' | 'lifted'>): string[] {
  const rows = [
    ...sections.flatMap((section) =>
      added.filter((item) => item.section === section).map(({ text }) => [section, text] as const),
    ),
    ...lifted.map(({ place }) => ['drop', `${place} as it was accepted`] as const),
  ];
  let last = '';
  return rows.map(([verb, text]) => {
    const heading = verb === last ? '' : verb;
    last = verb;
    return `${heading.padEnd(8)} ${exactLine(text)}`;
  });
}

/** Returns the heading for `pendingLines`. */
export function pendingHeading({ file, isKnown }: PendingTrust): string {
  return isKnown ? `${shortPath(file)} was accepted before; now it would also` : `${shortPath(file)} would`;
}

/** Shows what an untrusted configuration would do, and asks for trust. Resolves with whether it was accepted. */
export async function askForTrust(error: UntrustedConfigurationError, terminal: Terminal): Promise<boolean> {
  const { pending } = error;
  const lines = pendingLines(pending).map((line) => `  ${line}\n`);
  await terminal.errors.print(`${oneLine(pendingHeading(pending))}\n${lines.join('')}`);
  if (!(await confirm(terminal, 'Trust it on this machine?'))) return false;
  await error.accept();
  return true;
}

/** Returns the command that accepts a configuration from any directory. */
export function trustCommand({ pending, data }: Pick<UntrustedConfigurationError, 'pending' | 'data'>): string {
  const dataOption = data === join(homedir(), '.signalbox') ? '' : ` --data ${shellWord(data)}`;
  return `signalbox trust ${shellWord(pending.file)}${dataOption}`;
}

/** Creates the error for a declined question. It omits the list, which was just shown. */
export function declinedError(error: UntrustedConfigurationError): CliError {
  return new CliError(2, error.code, `${error.message}, and you declined; no part of it was used`, {
    next: trustCommand(error),
    cause: error,
  });
}

/** Creates the error of a command that needs an untrusted configuration. */
export function untrustedError(error: UntrustedConfigurationError): CliError {
  const { file, added, lifted } = error.pending;
  return new CliError(2, error.code, error.message, {
    lines: [`${error.pending.isKnown ? 'now it would also' : 'it would'}:`, ...pendingLines(error.pending)],
    data: {
      file,
      added: added.map(({ section, text }) => ({ section, text })),
      lifted: lifted.map(({ place }) => place),
    },
    next: trustCommand(error),
    cause: error,
  });
}
