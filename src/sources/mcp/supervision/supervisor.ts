import type { SourceHealth, SourceState } from '../../../catalog/source/source.ts';
import { type AbortSignalLike, toAbortSignal } from '../../../core/async/light-abort-signal.ts';
import { messageOf } from '../../../core/errors.ts';
import { OutcomeUnknownError, ServerUnreachableError } from '../../../core/tools/source-errors.ts';
import { Backoff } from './backoff.ts';
import { ConnectionLostError, ServerCrashedError } from '../connection/connection-errors.ts';
import type { Connection } from '../connection/connection.ts';
import { httpStatusOf } from '../http/http-errors.ts';

/** The state of a server's connection. */
export type Supervision = Pick<SourceHealth, 'state' | 'since' | 'lastError' | 'nextRetryAt' | 'restarts'>;

/** Options of a supervisor. */
export interface SupervisorOptions {
  readonly server: string;
  /** Connects and reads the lists of the server. When the signal is aborted, it must release everything that it opened. */
  open(signal: AbortSignal): Promise<Connection>;
  /** Removes secrets from the reason why the server is down. */
  redact(text: string): string;
  onChange(): void;
  /** Closes the connection after this time without a call; the next call opens a new one. */
  readonly idleStopMs?: number | undefined;
}

/** Calls wait during outages shorter than this, and the catalog does not report them. */
const graceMs = 2000;
const stableAfterMs = 10_000;

/** Keeps a server connected: reconnects with growing delays until it is stopped. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff = new Backoff();
  readonly #waiting = new Set<() => void>();
  readonly #ready: Promise<void>;
  #resolveReady: () => void = () => undefined;
  #connection: Connection | undefined;
  /** Settles when the previous connection is closed. */
  #closing: Promise<void> = Promise.resolve();
  #supervision: Omit<Supervision, 'restarts'> = { state: 'connecting', since: Date.now() };
  #connections = 0;
  /** The reason and the start of an outage; absent during a short one. */
  #down: SourceState['down'];
  /** The cause of the last failure. */
  #cause: DownCause = {};
  #retryTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #stableTimer: NodeJS.Timeout | undefined;
  #attempt: Promise<void> | undefined;
  #aborting = new AbortController();
  #runningCalls = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Whether a call waits for a server that was idle, so a failure must be reported at once. */
  #isWaking = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#down = { reason: 'it is being connected to', since: Date.now(), isStarting: true };
    this.#ready = new Promise((resolve) => (this.#resolveReady = resolve));
    void this.#begin();
  }

  get supervision(): Supervision {
    return { ...this.#supervision, restarts: Math.max(0, this.#connections - 1) };
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  get down(): SourceState['down'] {
    return this.#down;
  }

  /** Resolves when the first attempt succeeded or failed. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Runs a request on the connection. Repeats it once, and only when it certainly did not reach the server. `what`: the request, as
   * errors describe it.
   */
  run<Result>(
    what: string,
    signal: AbortSignalLike,
    send: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    this.#runningCalls += 1;
    clearTimeout(this.#idleTimer);
    const connection = this.#connection;
    const sending = connection === undefined ? this.#runWhenConnected(what, signal, send, true) : send(connection);
    return sending.then(
      (result) => {
        this.#endCall();
        return result;
      },
      async (error: unknown) => {
        try {
          if (connection === undefined) throw error;
          await this.#afterFailure(what, signal, connection, error, true);
          return await this.#runWhenConnected(what, signal, send, false);
        } finally {
          this.#endCall();
        }
      },
    );
  }

  /** Resolves when no call is running, or after this time. */
  async drained(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    while (this.#runningCalls > 0 && !signal.aborted) await this.#change(signal);
  }

  /** Closes the connection and opens a new one at once. */
  async restart(): Promise<void> {
    if (this.#supervision.state === 'stopped') throw new ServerUnreachableError('the server is closed');
    this.#backoff.reset();
    clearTimeout(this.#retryTimer);
    this.#isWaking = this.#supervision.state === 'idle';
    // Another attempt may begin meanwhile.
    while (this.#attempt !== undefined) await this.#abandon();
    if (this.#isStopped()) throw new ServerUnreachableError('the server is closed');
    const lost = this.#connection;
    if (lost !== undefined) {
      this.#connection = undefined;
      this.#startGrace('it is being restarted');
      this.#closing = lost.close();
    }
    clearTimeout(this.#retryTimer);
    await this.#begin();
  }

  async stop(): Promise<void> {
    this.#set({ state: 'stopped', since: Date.now() });
    for (const timer of [this.#retryTimer, this.#graceTimer, this.#stableTimer, this.#idleTimer]) clearTimeout(timer);
    this.#down = { reason: 'it is closed', since: Date.now() };
    const connection = this.#connection;
    this.#connection = undefined;
    this.#wake();
    await Promise.all([connection?.close(), this.#abandon(), this.#closing]);
    this.#resolveReady();
  }

  #endCall(): void {
    this.#runningCalls -= 1;
    if (this.#runningCalls > 0) return;
    this.#watchIdleness();
    this.#wake();
  }

  async #runWhenConnected<Result>(
    what: string,
    signal: AbortSignalLike,
    send: (connection: Connection) => Promise<Result>,
    mayRepeat: boolean,
  ): Promise<Result> {
    for (let isFirst = mayRepeat; ; isFirst = false) {
      const connection = this.#connection ?? (await this.#connected(toAbortSignal(signal)));
      try {
        return await send(connection);
      } catch (error) {
        await this.#afterFailure(what, signal, connection, error, isFirst);
      }
    }
  }

  /** Rethrows the error, unless the request may be repeated. */
  async #afterFailure(
    what: string,
    signal: AbortSignalLike,
    connection: Connection,
    error: unknown,
    isFirst: boolean,
  ): Promise<void> {
    const { server } = this.#options;
    // A server on which a call timed out may not respond to anything.
    if (signal.aborted && isTimeout(signal)) void connection.check();
    if (signal.aborted || !(error instanceof ConnectionLostError)) throw error;
    const options = { cause: error };
    if (error.sent)
      throw new OutcomeUnknownError(
        `the connection to server "${server}" broke while ${what} ran: ${error.message}`,
        options,
      );
    if (!isFirst)
      throw new ServerUnreachableError(`server "${server}" could not be reached: ${error.message}`, options);
    await connection.check();
  }

  /** Resolves with the connection: waits during a short outage, and starts an idle server. Rejects when the server is down. */
  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#supervision.state === 'idle') {
      this.#isWaking = true;
      void this.#begin();
    }
    while (this.#connection === undefined && this.#down === undefined && !signal.aborted) await this.#change(signal);
    if (this.#connection !== undefined) return this.#connection;
    const { lastError } = this.#supervision;
    const why = this.#down?.reason ?? lastError ?? 'it is not connected';
    throw new ServerUnreachableError(`server "${this.#options.server}" is down: ${why}`);
  }

  #begin(): Promise<void> {
    this.#aborting = new AbortController();
    const attempt = this.#try(this.#aborting.signal).finally(() => (this.#attempt = undefined));
    this.#attempt = attempt;
    return attempt;
  }

  /** Cancels the running attempt, since a server may never respond. */
  #abandon(): Promise<void> | undefined {
    this.#aborting.abort();
    return this.#attempt;
  }

  async #try(signal: AbortSignal): Promise<void> {
    this.#set({ state: 'connecting' });
    try {
      await this.#closing;
      const connection = await this.#options.open(signal);
      if (signal.aborted) await connection.close();
      else this.#up(connection);
    } catch (error) {
      if (!signal.aborted) this.#failed(this.#options.redact(messageOf(error)), isCrash(error), error);
    }
    if (!signal.aborted) this.#resolveReady();
  }

  #up(connection: Connection): void {
    if (connection.isOver) {
      this.#closing = connection.close();
      this.#failed('it was lost as soon as it was connected to', true);
      return;
    }
    connection.onLost = (why, cause) => {
      if (this.#connection !== connection) return;
      const reason = this.#options.redact(why);
      this.#connection = undefined;
      clearTimeout(this.#stableTimer);
      this.#closing = connection.close();
      this.#startGrace(reason);
      this.#failed(reason, true, cause);
    };
    this.#connection = connection;
    this.#stableTimer = setTimeout(() => this.#backoff.settled(), stableAfterMs).unref();
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
    const wasDown = this.#down !== undefined;
    this.#down = undefined;
    this.#connections += 1;
    this.#isWaking = false;
    this.#set({ state: 'up', since: Date.now() });
    this.#watchIdleness();
    this.#wake();
    if (wasDown) this.#options.onChange();
  }

  #failed(reason: string, isServerCrash: boolean, cause?: unknown): void {
    this.#cause = downCause(cause);
    const { delayMs, isCrashing } = this.#backoff.next(isServerCrash);
    const reasonWithRetry = isCrashing
      ? `${reason} (it keeps failing; next try in ${Math.round(delayMs / 1000)} s)`
      : reason;
    this.#set({ state: 'down', since: Date.now(), lastError: reasonWithRetry, nextRetryAt: Date.now() + delayMs });
    if (this.#down !== undefined) this.#markDown(reasonWithRetry, this.#down.since);
    else if (isCrashing || this.#isWaking) this.#markDown(reasonWithRetry, Date.now());
    this.#isWaking = false;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#begin(), delayMs);
  }

  #watchIdleness(): void {
    clearTimeout(this.#idleTimer);
    const { idleStopMs } = this.#options;
    if (idleStopMs === undefined || this.#runningCalls > 0 || this.#connection === undefined) return;
    this.#idleTimer = setTimeout(() => this.#sleep(), idleStopMs).unref();
  }

  #sleep(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#runningCalls > 0) return;
    this.#connection = undefined;
    clearTimeout(this.#stableTimer);
    this.#backoff.settled();
    this.#closing = connection.close();
    this.#set({ state: 'idle', since: Date.now() });
  }

  #startGrace(reason: string): void {
    const since = Date.now();
    this.#graceTimer = setTimeout(() => this.#markDown(this.#supervision.lastError ?? reason, since), graceMs).unref();
  }

  #markDown(reason: string, since: number): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
    if (this.#down?.reason === reason) return;
    this.#down = { reason, since, ...this.#cause };
    this.#wake();
    this.#options.onChange();
  }

  #set(change: Partial<Supervision> & Pick<Supervision, 'state'>): void {
    const { since, lastError } = this.#supervision;
    this.#supervision = { since, ...(lastError === undefined ? {} : { lastError }), ...change };
  }

  #isStopped(): boolean {
    return this.#supervision.state === 'stopped';
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits for a change of state, or for the signal. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** Returns whether the failure counts as a crash. An unreachable server does not, since it may be back any moment. */
function isCrash(error: unknown): boolean {
  return error instanceof ServerCrashedError || (error instanceof ConnectionLostError && error.sent);
}

/** Flags for who can repair a server that is down: the user by signing in, or its operator. */
export type DownCause = Pick<NonNullable<SourceState['down']>, 'needsSignIn' | 'isFailing'>;

/** Classifies a failure by the error codes in its chain of causes. Messages are not used, since the server may have written them. */
export function downCause(failure: unknown): DownCause {
  for (let at = failure; at instanceof Error; at = at.cause) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (code === 'SIGNALBOX_SIGN_IN_NEEDED') return { needsSignIn: true };
    if ((statusIn(at, code) ?? 0) >= 500) return { isFailing: true };
  }
  return {};
}

/** Compares names instead of classes, so that neither the SDK nor OAuth is loaded where only programs are connected. */
function statusIn(error: Error, code: unknown): number | undefined {
  if (error.name === 'HttpRefusalError' && 'status' in error) return Number(error.status);
  return error.name === 'SseError' && typeof code === 'number' ? code : httpStatusOf(error);
}

function isTimeout({ reason }: AbortSignalLike): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
