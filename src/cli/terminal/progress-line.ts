import type { Configuration } from '../../config/configuration.ts';
import type { Progress } from '../../core/calls/call.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { oneLine } from './escape.ts';
import { shorten } from './table.ts';
import type { Printer } from './terminal.ts';

const clearLine = '\r\u001b[K';

/** A progress line on the terminal. Prints nothing when the stream is not a terminal. */
export class ProgressLine {
  readonly #printer: Printer;
  #isShown = false;
  #isPaused = false;
  /** Whether the current work reports its own progress. */
  #hasProgress = false;

  constructor(printer: Printer) {
    this.#printer = printer;
  }

  show({ progress, total, message }: Progress): void {
    this.#hasProgress = true;
    const amount = total === undefined ? String(progress) : `${progress}/${total}`;
    this.#write(message === undefined ? amount : `${amount} ${oneLine(message)}`);
  }

  /** Runs `work` and, after a second, shows a label with the elapsed time unless the work reports progress. */
  async during<Value>(label: string, work: () => Promise<Value>): Promise<Value> {
    let seconds = 0;
    const tick = (): void => {
      seconds += 1;
      if (!this.#hasProgress) this.#write(`${label} … ${seconds} s`);
    };
    const timer = this.#printer.isTTY ? setInterval(tick, 1000) : undefined;
    this.#hasProgress = false;
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.clear();
    }
  }

  #write(line: string): void {
    if (!this.#printer.isTTY || this.#isPaused) return;
    void this.#printer.print(clearLine + this.#printer.colors.dim(shorten(line, (this.#printer.width ?? 80) - 1)));
    this.#isShown = true;
  }

  /** Hides the line while `work` uses the terminal. */
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

/** Returns the progress label for starting the servers of a configuration. */
export function startingServersMessage({ servers }: Configuration): string {
  return `starting ${pluralize(servers.length, 'server')}`;
}
