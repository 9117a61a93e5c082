import type { Progress } from '../model/call.ts';
import { oneLine } from './printable.ts';
import { shorten } from './table.ts';
import type { Printer } from './terminal.ts';

const clearLine = '\r\u001b[K';

/** One line on the terminal that shows how far a call has come. Silent where there is no terminal. */
export class ProgressLine {
  readonly #printer: Printer;
  #isShown = false;
  #isPaused = false;

  constructor(printer: Printer) {
    this.#printer = printer;
  }

  show({ progress, total, message }: Progress): void {
    if (!this.#printer.isTTY || this.#isPaused) return;
    const amount = total === undefined ? String(progress) : `${progress}/${total}`;
    const line = message === undefined ? amount : `${amount} ${oneLine(message)}`;
    void this.#printer.print(clearLine + this.#printer.colors.dim(shorten(line, (this.#printer.width ?? 80) - 1)));
    this.#isShown = true;
  }

  /** Leaves the terminal to something else until it is done. */
  async pauseFor<Value>(work: () => Promise<Value>): Promise<Value> {
    this.clear();
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  clear(): void {
    if (!this.#isShown) return;
    void this.#printer.print(clearLine);
    this.#isShown = false;
  }
}
