import type { Configuration } from '../../config/configuration.ts';
import type { Progress } from '../../core/calls/call.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { oneLine } from './escape.ts';
import { shorten } from './table.ts';
import type { Printer } from './terminal.ts';

const clearLine = '\r\u001b[K';

/** One line on the terminal that shows how far something has come. Silent where there is no terminal. */
export class ProgressLine {
  readonly #printer: Printer;
  #isShown = false;
  #isPaused = false;
  /** Whether whoever works tells by itself how far it is. */
  #isTold = false;

  constructor(printer: Printer) {
    this.#printer = printer;
  }

  show({ progress, total, message }: Progress): void {
    this.#isTold = true;
    const amount = total === undefined ? String(progress) : `${progress}/${total}`;
    this.#write(message === undefined ? amount : `${amount} ${oneLine(message)}`);
  }

  /** Says what is being waited for, and how long already, when that takes longer than a second and nothing better is shown. */
  async during<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    let seconds = 0;
    const tick = (): void => {
      seconds += 1;
      if (!this.#isTold) this.#write(`${what} … ${seconds} s`);
    };
    const timer = this.#printer.isTTY ? setInterval(tick, 1000) : undefined;
    this.#isTold = false;
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

/** What a command waits for that opens a box. */
export function startingServersMessage({ servers }: Configuration): string {
  return `starting ${pluralize(servers.length, 'server')}`;
}
