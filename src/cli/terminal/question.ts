import type { Terminal } from './terminal.ts';
import { createInterface } from 'node:readline/promises';

/** Options of a question. */
export interface PromptOptions {
  readonly signal?: AbortSignal;
  /** Called on Ctrl-C, which ends the question when absent. */
  readonly onInterrupt?: () => void;
}

/** Asks the user for one line. Resolves with `undefined` when the input ends. */
export async function askLine(
  { input, errors }: Terminal,
  text: string,
  { signal, onInterrupt }: PromptOptions = {},
): Promise<string | undefined> {
  const lines = createInterface({ input, output: errors.stream, terminal: true });
  // A terminal in raw mode sends no signal for Ctrl-C.
  lines.on('SIGINT', onInterrupt ?? (() => lines.close()));
  // On Ctrl-D, the promise of readline's `question` never settles.
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([signal === undefined ? lines.question(text) : lines.question(text, { signal }), ended]);
  } finally {
    lines.close();
  }
}

/** Asks a yes-or-no question until the answer is y, n or empty, which means no. Resolves with `undefined` when the input ends. */
export async function askYesOrNo(
  terminal: Terminal,
  text: string,
  options: PromptOptions = {},
): Promise<boolean | undefined> {
  for (;;) {
    const answer = await askLine(terminal, `${text} [y/N] `, options);
    if (answer === undefined) return undefined;
    if (/^\s*y(es)?\s*$/i.test(answer)) return true;
    if (/^\s*(no?)?\s*$/i.test(answer)) return false;
    await terminal.errors.print('answer y or n\n');
  }
}

/** Asks a yes-or-no question. No answer means no. */
export async function confirm(terminal: Terminal, text: string): Promise<boolean> {
  return (await askYesOrNo(terminal, text)) === true;
}
