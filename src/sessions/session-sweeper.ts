import { messageOf } from '../core/errors.ts';
import type { SessionBox } from './session-box.ts';

/** The dependencies of a session sweeper. */
interface SessionSweeperOptions {
  readonly box: Pick<SessionBox, 'endSession' | 'sessionStore'>;
  readonly idleMs: number;
  readonly keepMs: number;
  isBusy(session: string): boolean;
  forget(session: string): Promise<void>;
  recover(): Promise<void>;
}

const sweepIntervalMs = 60_000;
const maxDeletedPerSweep = 100;

/**
 * Periodically releases the tool state of idle sessions, deletes sessions older than the retention time, and ends turns of
 * processes that died.
 */
export class SessionSweeper {
  readonly #options: SessionSweeperOptions;
  /** The last activity of sessions that had turns in this process. */
  readonly #active = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(options: SessionSweeperOptions) {
    this.#options = options;
  }

  markActive(session: string): void {
    this.#active.set(session, Date.now());
  }

  start(): void {
    const every = Math.max(10, Math.min(sweepIntervalMs, this.#options.idleMs / 2));
    this.#timer = setInterval(() => void this.#sweep(), every).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      this.#releaseIdle();
      await this.#deleteOld();
      await this.#options.recover();
    } catch (error) {
      process.emitWarning(`cannot clean up sessions: ${messageOf(error)}`, { type: 'SignalboxWarning' });
    } finally {
      this.#isSweeping = false;
    }
  }

  #releaseIdle(): void {
    const { box, idleMs, isBusy } = this.#options;
    const now = Date.now();
    for (const [session, at] of this.#active) {
      if (isBusy(session)) this.#active.set(session, now);
      else if (at + idleMs <= now) {
        this.#active.delete(session);
        box.endSession(session);
      }
    }
  }

  async #deleteOld(): Promise<void> {
    const { box, keepMs, forget } = this.#options;
    const old = await box.sessionStore.select({ limit: maxDeletedPerSweep, activeBefore: Date.now() - keepMs });
    for (const { id, turn, queued } of old) if (turn === 'none' && queued === 0) await forget(id);
  }
}
