import type { Printer } from './terminal.ts';

/** Prints one document: readable on a terminal, on one line for programs. */
export function printJson(printer: Printer, value: unknown): Promise<void> {
  return printer.print(`${JSON.stringify(value, undefined, printer.isTTY ? 2 : undefined)}\n`);
}
