import { messageOf } from '../core/errors.ts';
import type { SessionBox } from './session-box.ts';

/** What is looked after. */
export interface SweepParts {
  readonly box: Pick<SessionBox, 'endSession' | 'sessionStore'>;
  readonly idleMs: number;
  readonly keepMs: number;
  isBusy(session: string): boolean;
  forget(session: string): Promise<void>;
  recover(): Promise<void>;
}

const everyMs = 60_000;
const mostAtOnce = 100;

/**
 * Looks now and then for what time has ended: sessions that were idle for so long that their tools' state is let go, those
 * that are too old to be kept, and turns of processes that died.
 */
export class Sweep {
  readonly #parts: SweepParts;
  /** When the sessions that had turns here were last active. */
  readonly #active = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  touched(session: string): void {
    this.#active.set(session, Date.now());
  }

  start(): void {
    const every = Math.max(10, Math.min(everyMs, this.#parts.idleMs / 2));
    this.#timer = setInterval(() => void this.#sweep(), every).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      this.#letGo();
      await this.#deleteOld();
      await this.#parts.recover();
    } catch (error) {
      process.emitWarning(`sessions could not be looked after: ${messageOf(error)}`, { type: 'SignalboxWarning' });
    } finally {
      this.#isSweeping = false;
    }
  }

  #letGo(): void {
    const { box, idleMs, isBusy } = this.#parts;
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
    const { box, keepMs, forget } = this.#parts;
    const old = await box.sessionStore.select({ limit: mostAtOnce, activeBefore: Date.now() - keepMs });
    for (const { id, turn, queued } of old) if (turn === 'none' && queued === 0) await forget(id);
  }
}
