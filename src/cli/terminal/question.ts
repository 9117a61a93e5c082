import type { Terminal } from './terminal.ts';
import { createInterface } from 'node:readline/promises';

/** How a question may end without an answer. */
export interface QuestionOptions {
  readonly signal?: AbortSignal;
  /** Ctrl-C was pressed; it ends the question when absent. */
  readonly onInterrupt?: () => void;
}

/** Asks the human at the terminal for one line; `undefined` when the input ended without one. */
export async function question(
  { input, errors }: Terminal,
  text: string,
  { signal, onInterrupt }: QuestionOptions = {},
): Promise<string | undefined> {
  const lines = createInterface({ input, output: errors.stream, terminal: true });
  // In its raw mode the terminal sends no signal for Ctrl-C.
  lines.on('SIGINT', onInterrupt ?? (() => lines.close()));
  // Ctrl-D ends the input without an answer, and `question` would wait forever.
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([signal === undefined ? lines.question(text) : lines.question(text, { signal }), ended]);
  } finally {
    lines.close();
  }
}

/**
 * Asks a yes-or-no question until it is answered with y, n or nothing, which is a no. Returns `undefined` when the input ended without
 * an answer.
 */
export async function askYesOrNo(
  terminal: Terminal,
  text: string,
  options: QuestionOptions = {},
): Promise<boolean | undefined> {
  for (;;) {
    const answer = await question(terminal, `${text} [y/N] `, options);
    if (answer === undefined) return undefined;
    if (/^\s*y(es)?\s*$/i.test(answer)) return true;
    if (/^\s*(no?)?\s*$/i.test(answer)) return false;
    await terminal.errors.print('answer y or n\n');
  }
}

/** Asks the human at the terminal. No answer is a no. */
export async function confirm(terminal: Terminal, asked: string): Promise<boolean> {
  return (await askYesOrNo(terminal, asked)) === true;
}
