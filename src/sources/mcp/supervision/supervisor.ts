import type { SourceHealth, SourceState } from '../../../catalog/source/source.ts';
import { messageOf } from '../../../core/errors.ts';
import { ServerUnreachableError } from '../../../core/tools/source-errors.ts';
import { Backoff } from './backoff.ts';
import { ConnectionLost, ServerCrashed } from '../connection/connection-errors.ts';
import type { Connection } from '../connection/connection.ts';
import { type DownCause, downCause } from './down-cause.ts';

/** How a server is doing. */
export type Supervision = Pick<SourceHealth, 'state' | 'since' | 'lastError' | 'nextRetryAt' | 'restarts'>;

/** What the supervisor needs. */
export interface SupervisorOptions {
  readonly server: string;
  /** Connects and learns what the server has; when the signal is aborted, nothing of the attempt may stay behind. */
  open(signal: AbortSignal): Promise<Connection>;
  /** Takes secrets out of the reason why it is down. */
  redact(text: string): string;
  onChange(): void;
  /** Ends the connection after this long without a call; the next call makes a new one. */
  readonly idleStopMs?: number | undefined;
}

/** Shorter than this, an outage is a hiccup: calls wait for its end, and the catalog does not hear of it. */
const graceMs = 2000;
const settledAfterMs = 10_000;

/** Keeps one server connected: tries again when it fails, ever more slowly, until it is told to stop. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff = new Backoff();
  readonly #waiting = new Set<() => void>();
  readonly #ready: Promise<void>;
  #isReady: () => void = () => undefined;
  #connection: Connection | undefined;
  /** What was lost and is still being ended. */
  #ending: Promise<void> = Promise.resolve();
  #supervision: Omit<Supervision, 'restarts'> = { state: 'connecting', since: Date.now() };
  #connections = 0;
  /** Why and since when the server counts as down; absent during a hiccup. */
  #down: SourceState['down'];
  /** Who can help with what failed last. */
  #help: DownCause = {};
  #retry: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #attempt: Promise<void> | undefined;
  #aborting = new AbortController();
  #underWay = 0;
  #idling: NodeJS.Timeout | undefined;
  /** A call waits for a server that was idle: that it cannot be had must be told at once. */
  #isWaking = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#down = { reason: 'it is being connected to', since: Date.now(), isStarting: true };
    this.#ready = new Promise((resolve) => (this.#isReady = resolve));
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

  /** The first attempt has ended, well or not. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** A call begins: from now until its end the server is not idle. */
  callBegins(): void {
    this.#underWay += 1;
    clearTimeout(this.#idling);
  }

  callEnds(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    this.#watchIdleness();
    this.#wake();
  }

  /** Waits until no call is under way, but not longer than this. */
  async drained(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    while (this.#underWay > 0 && !signal.aborted) await this.#change(signal);
  }

  /** The connection, for which a call waits during a hiccup, or until an idle server is back. */
  async connected(signal: AbortSignal): Promise<Connection> {
    if (this.#supervision.state === 'idle') {
      this.#isWaking = true;
      void this.#begin();
    }
    while (this.#connection === undefined && this.#down === undefined && !signal.aborted) await this.#change(signal);
    if (this.#connection !== undefined) return this.#connection;
    const { lastError } = this.#supervision;
    const why = this.#down?.reason ?? lastError ?? 'it is not connected';
    throw new ServerUnreachableError(`server "${this.#options.server}" is down: ${why}; nothing was run`);
  }

  /** Ends the connection and makes a new one, without waiting for its turn. */
  async restart(): Promise<void> {
    if (this.#supervision.state === 'stopped') throw new ServerUnreachableError('the server is closed');
    this.#backoff.reset();
    clearTimeout(this.#retry);
    this.#isWaking = this.#supervision.state === 'idle';
    // Somebody else may begin another one meanwhile.
    while (this.#attempt !== undefined) await this.#abandon();
    if (this.#isStopped()) throw new ServerUnreachableError('the server is closed');
    const lost = this.#connection;
    if (lost !== undefined) {
      this.#connection = undefined;
      this.#startGrace('it is being restarted');
      this.#ending = lost.close();
    }
    clearTimeout(this.#retry);
    await this.#begin();
  }

  async stop(): Promise<void> {
    this.#set({ state: 'stopped', since: Date.now() });
    for (const timer of [this.#retry, this.#grace, this.#settling, this.#idling]) clearTimeout(timer);
    this.#down = { reason: 'it is closed', since: Date.now() };
    const connection = this.#connection;
    this.#connection = undefined;
    this.#wake();
    await Promise.all([connection?.close(), this.#abandon(), this.#ending]);
    this.#isReady();
  }

  #begin(): Promise<void> {
    this.#aborting = new AbortController();
    const attempt = this.#try(this.#aborting.signal).finally(() => (this.#attempt = undefined));
    this.#attempt = attempt;
    return attempt;
  }

  /** Ends the attempt under way: a server may never answer. */
  #abandon(): Promise<void> | undefined {
    this.#aborting.abort();
    return this.#attempt;
  }

  async #try(signal: AbortSignal): Promise<void> {
    this.#set({ state: 'connecting' });
    try {
      await this.#ending;
      const connection = await this.#options.open(signal);
      if (signal.aborted) await connection.close();
      else this.#up(connection);
    } catch (error) {
      if (!signal.aborted) this.#failed(this.#options.redact(messageOf(error)), isCrash(error), error);
    }
    if (!signal.aborted) this.#isReady();
  }

  #up(connection: Connection): void {
    if (connection.isOver) {
      this.#ending = connection.close();
      this.#failed('it was lost as soon as it was connected to', true);
      return;
    }
    connection.onLost = (why, cause) => {
      if (this.#connection !== connection) return;
      const reason = this.#options.redact(why);
      this.#connection = undefined;
      clearTimeout(this.#settling);
      this.#ending = connection.close();
      this.#startGrace(reason);
      this.#failed(reason, true, cause);
    };
    this.#connection = connection;
    this.#settling = setTimeout(() => this.#backoff.settled(), settledAfterMs).unref();
    clearTimeout(this.#grace);
    this.#grace = undefined;
    const wasDown = this.#down !== undefined;
    this.#down = undefined;
    this.#connections += 1;
    this.#isWaking = false;
    this.#set({ state: 'up', since: Date.now() });
    this.#watchIdleness();
    this.#wake();
    if (wasDown) this.#options.onChange();
  }

  #failed(reason: string, isItACrash: boolean, cause?: unknown): void {
    this.#help = downCause(cause);
    const { delayMs, isCrashing } = this.#backoff.next(isItACrash);
    const told = isCrashing ? `${reason} (it keeps failing; next try in ${Math.round(delayMs / 1000)} s)` : reason;
    this.#set({ state: 'down', since: Date.now(), lastError: told, nextRetryAt: Date.now() + delayMs });
    if (this.#down !== undefined) this.#tell(told, this.#down.since);
    else if (isCrashing || this.#isWaking) this.#tell(told, Date.now());
    this.#isWaking = false;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#begin(), delayMs);
  }

  #watchIdleness(): void {
    clearTimeout(this.#idling);
    const { idleStopMs } = this.#options;
    if (idleStopMs === undefined || this.#underWay > 0 || this.#connection === undefined) return;
    this.#idling = setTimeout(() => this.#sleep(), idleStopMs).unref();
  }

  #sleep(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#underWay > 0) return;
    this.#connection = undefined;
    clearTimeout(this.#settling);
    this.#backoff.settled();
    this.#ending = connection.close();
    this.#set({ state: 'idle', since: Date.now() });
  }

  #startGrace(reason: string): void {
    const since = Date.now();
    this.#grace = setTimeout(() => this.#tell(this.#supervision.lastError ?? reason, since), graceMs).unref();
  }

  #tell(reason: string, since: number): void {
    clearTimeout(this.#grace);
    this.#grace = undefined;
    if (this.#down?.reason === reason) return;
    this.#down = { reason, since, ...this.#help };
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

  /** Waits until the server is up, counts as down, or the call is over. */
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

/** That a server cannot be reached is no crash: it may be back any moment. */
function isCrash(error: unknown): boolean {
  return error instanceof ServerCrashed || (error instanceof ConnectionLost && error.sent);
}
