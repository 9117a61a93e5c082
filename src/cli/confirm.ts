import { yesOrNo } from './question.ts';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal. No answer is a no. */
export async function confirm(terminal: Terminal, asked: string): Promise<boolean> {
  return (await yesOrNo(terminal, asked)) === true;
}
