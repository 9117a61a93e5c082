import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emitSafely } from '../core/async/emit-safely.ts';
import { Turns } from './turns.ts';
import type { Busy, Finished, UndoEngine, Undone } from './undo-engine.ts';
import { UndoThread } from './undo-thread.ts';
import type { WorkspaceLimits } from './workspace-tree.ts';

/** How much is kept for undo, and for how long. */
export interface CheckpointOptions {
  /** The largest workspace that can be kept: entries (200,000) and bytes (2 GB). */
  readonly maxFiles?: number;
  readonly maxBytes?: number;
  /** How long one look at a workspace may take (60 s). */
  readonly maxMs?: number;
  /** How long calls can be undone (7 days), and how much is kept for it besides the present state (5 GB). */
  readonly keepMs?: number;
  readonly keepBytes?: number;
}

/** How long to wait for others who are at work in the same place, what ends the waiting, and who hears of them. */
export interface Patience {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly onBusy?: (call: string) => void;
}

/** The state before a call, while the call runs. Ended once: kept for a later undo, or taken back at once. */
export interface Checkpoint {
  finish(): Promise<Finished>;
  rollBack(): Promise<Undone>;
}

const day = 24 * 60 * 60 * 1000;
const firstPauseMs = 20;
const longestPauseMs = 500;
const usualPatienceMs = 60_000;

/** Keeps workspaces before calls. Nothing is started, read or written before the first call that needs it. */
export class Checkpoints {
  readonly #given: string | undefined;
  readonly #limits: WorkspaceLimits;
  readonly #turns = new Turns();
  readonly #options: CheckpointOptions;
  #opened: UndoThread | undefined;
  #temporary: string | undefined;

  /** Without a data directory everything is kept in a temporary one, which is removed in the end. */
  constructor(data: string | undefined, options: CheckpointOptions = {}) {
    const { maxFiles = 200_000, maxBytes = 2e9, maxMs = 60_000 } = options;
    this.#given = data;
    this.#limits = { files: maxFiles, bytes: maxBytes, milliseconds: maxMs };
    this.#options = options;
  }

  /** Keeps the workspaces as they are. Waits while another call is at work in one that overlaps; `signal` ends the waiting. */
  async begin(call: string, workspaces: readonly string[], signal?: AbortSignal): Promise<Checkpoint> {
    const giveUp = await this.#turns.take(workspaces);
    try {
      signal?.throwIfAborted();
      const patience = signal === undefined ? {} : { signal };
      const begun = await this.#patiently(() => this.#thread.ask('begin', call, workspaces), patience);
      if ('busy' in begun) signal?.throwIfAborted();
    } catch (error) {
      giveUp();
      throw error;
    }
    const ended = async <Result>(what: Promise<Result>): Promise<Result> => what.finally(giveUp);
    return {
      finish: () => ended(this.#thread.ask('finish', call)),
      rollBack: () => ended(this.#thread.ask('rollBack', call)),
    };
  }

  /** What a call has changed; `undefined` when nothing is kept of it. */
  async changesOf(call: string): Promise<ChangesOfCall | undefined> {
    const isUsed = this.#opened !== undefined || (this.#given !== undefined && existsSync(join(this.#given, 'undo')));
    if (!isUsed) return undefined;
    return this.#thread.ask('changesOf', call);
  }

  /** Takes back what a call has changed. Answers who is at work there when that takes too long. */
  async undo(call: string, options: Patience & { readonly partial?: boolean } = {}): Promise<Undone | Busy> {
    const patience = { ...options, waitMs: options.waitMs ?? usualPatienceMs };
    return this.#patiently(() => this.#thread.ask('undo', call, options.partial ?? false), patience);
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }

  /** The thread. When it begins, it finishes what an earlier process left half done, and removes what is kept no longer. */
  get #thread(): UndoThread {
    if (this.#opened !== undefined) return this.#opened;
    const data = this.#given ?? (this.#temporary = mkdtempSync(join(tmpdir(), 'signalbox-undo-')));
    const thread = new UndoThread({ data, limits: this.#limits });
    this.#opened = thread;
    const { keepMs = 7 * day, keepBytes = 5e9 } = this.#options;
    // Whoever comes next hears of what is wrong there.
    thread.ask('recover').catch(() => undefined);
    thread.ask('sweep', { since: Date.now() - keepMs, bytes: keepBytes }, day).catch(() => undefined);
    return thread;
  }

  /** Asks again while somebody else is at work there, for as long as there is patience. */
  async #patiently<Answer extends object>(
    ask: () => Promise<Answer | Busy>,
    { signal, waitMs = Number.POSITIVE_INFINITY, onBusy }: Patience,
  ): Promise<Answer | Busy> {
    const end = Date.now() + waitMs;
    let told: string | undefined;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      const answer = await ask();
      if (!('busy' in answer)) return answer;
      if (onBusy !== undefined && told !== answer.busy) emitSafely(onBusy, answer.busy);
      told = answer.busy;
      if (signal?.aborted === true || Date.now() >= end) return answer;
      const left = Math.min(pause * (0.5 + Math.random()), end - Date.now());
      await delay(left, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}

/** What a call has changed, and what became of it. */
export type ChangesOfCall = NonNullable<ReturnType<UndoEngine['changesOf']>>;
