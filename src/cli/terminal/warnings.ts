import type { Configuration } from '../../config/configuration.ts';
import type { HostLog } from '../../host/host-log.ts';
import type { GlobalOptions } from '../command-context.ts';
import { printable } from './escape.ts';
import type { Printer } from './terminal.ts';

/** Creates a log that prints to standard error. */
export function createHostLog(errors: Printer): HostLog {
  return {
    info: (text) => void errors.print(`${printable(text)}\n`),
    warn: (text) => void printWarning(errors, text),
  };
}

/** Prints a warning for the user. */
export async function printWarning(errors: Printer, text: string): Promise<void> {
  await errors.print(`${errors.colors.yellow('warning')}: ${printable(text)}\n`);
}

/** Prints the warnings of a configuration. Prints nothing with `--json`; `doctor --json` reports the warnings. */
export async function printWarnings(
  { warnings }: Configuration,
  { json }: GlobalOptions,
  errors: Printer,
): Promise<void> {
  if (json) return;
  for (const warning of warnings) await printWarning(errors, warning);
}
