import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

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

/** Whether an answer is a clear yes. */
export function isYes(answer: string | undefined): boolean {
  return answer !== undefined && /^\s*y(es)?\s*$/i.test(answer);
}
