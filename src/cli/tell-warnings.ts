import type { Configuration } from '../config/configuration.ts';
import type { Globals } from './globals.ts';
import { printable } from './printable.ts';
import type { Printer } from './terminal.ts';

/** Says what in a configuration is understood otherwise than it may be meant. Silent with `--json`, where `doctor` tells it. */
export async function tellWarnings({ warnings }: Configuration, { json }: Globals, errors: Printer): Promise<void> {
  if (json) return;
  for (const warning of warnings) await errors.print(`${errors.colors.yellow('warning')}: ${printable(warning)}\n`);
}
