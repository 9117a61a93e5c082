/** Ctrl-C and SIGTERM: the first asks what is under way to end, the second ends the process. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #onInterrupt = (): void => this.interrupt('SIGINT');
  readonly #onTerminate = (): void => this.interrupt('SIGTERM');

  constructor() {
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onTerminate);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  interrupt(by: 'SIGINT' | 'SIGTERM' = 'SIGINT'): void {
    if (this.signal.aborted) process.exit(by === 'SIGINT' ? 130 : 143);
    this.#controller.abort();
  }

  /** Signals end the process again at once. */
  stop(): void {
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTERM', this.#onTerminate);
  }
}
