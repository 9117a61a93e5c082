const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof exitCodes;
const signals = Object.keys(exitCodes) as Signal[];

/** npm forwards a signal that the terminal has already sent to the whole process group, so two signals may be one press of Ctrl-C. */
const duplicateSignalMs = 1000;

/** Handles SIGINT, SIGTERM and SIGHUP: the first signal aborts `signal`, a later one exits the process. */
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

  /** Removes the signal handlers. Call it when nothing is left to close. */
  stop(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}

/** Runs `work`, which the first signal interrupts. */
export async function interruptible<Result>(work: (interruption: Interruption) => Promise<Result>): Promise<Result> {
  const interruption = new Interruption();
  try {
    return await work(interruption);
  } finally {
    interruption.stop();
  }
}

/** Exits the process on a signal that has no other listener. `exit` handlers end the processes of servers, which Node's default would leave. */
export function exitOnSignals(): void {
  for (const signal of signals)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCodes[signal]);
    });
}
