import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal. Anything but a clear yes is a no. */
export async function confirm({ input, errors }: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input, output: errors.stream, terminal: true });
  // Ctrl-C and Ctrl-D end the input without an answer, and `question` would wait forever.
  const ended = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', () => lines.close());
  });
  try {
    return /^\s*y(es)?\s*$/i.test(await Promise.race([lines.question(`${question} [y/N] `), ended]));
  } finally {
    lines.close();
  }
}
