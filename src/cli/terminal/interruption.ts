const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof exitCodes;
const signals = Object.keys(exitCodes) as Signal[];

/** npm passes on the signal that the terminal has sent to every process of the group: both are one press of Ctrl-C. */
const duplicateSignalMs = 1000;

/** Ctrl-C, SIGTERM and the end of the terminal: the first asks what is under way to end, a later one ends the process. */
export class Interruption {
  readonly #controller = new AbortController();
  #first: { readonly by: Signal; readonly at: number } | undefined;
  readonly #onSignal = (by: Signal): void => this.interrupt(by);

  constructor() {
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  interrupt(by: Signal = 'SIGINT'): void {
    if (!this.signal.aborted) {
      this.#first = { by, at: performance.now() };
      this.#controller.abort();
    } else if (by !== this.#first?.by || performance.now() - this.#first.at > duplicateSignalMs)
      process.exit(exitCodes[by]);
  }

  /** Signals end the process again at once. To be called when nothing is left to close. */
  stop(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}

/** Signals that nobody else takes end the process by `exit`, which takes the processes of servers along; by default they would be left. */
export function exitOnSignals(): void {
  for (const signal of signals)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCodes[signal]);
    });
}
