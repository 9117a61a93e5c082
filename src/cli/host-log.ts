import type { HostLog } from '../host/host-log.ts';
import { printable } from './printable.ts';
import type { Printer } from './terminal.ts';

/** Prints the messages of a running system to standard error. */
export function hostLog(errors: Printer): HostLog {
  return {
    info: (text) => void errors.print(`${printable(text)}\n`),
    warn: (text) => void errors.print(`${errors.colors.yellow('warning')}: ${printable(text)}\n`),
  };
}
