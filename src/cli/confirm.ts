import { isYes, question } from './question.ts';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal. Anything but a clear yes is a no. */
export async function confirm(terminal: Terminal, asked: string): Promise<boolean> {
  return isYes(await question(terminal, `${asked} [y/N] `));
}
