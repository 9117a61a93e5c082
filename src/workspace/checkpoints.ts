import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emitSafely } from '../core/async/emit-safely.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
import type { WorkspaceBusyError, CheckpointResult, UndoEngine, WorkspaceUndoResult } from './undo-engine.ts';
import { UndoThread } from './undo-thread.ts';
import { isOverlapping } from './content/byte-path.ts';
import type { WorkspaceLimits } from './content/workspace-tree.ts';

/** The limits of stored undo state. */
export interface CheckpointOptions {
  /** The largest workspace that can be checkpointed: entries (200,000) and bytes (2 GB). */
  readonly maxFiles?: number;
  readonly maxBytes?: number;
  /** The maximum duration of one workspace scan (60 s). */
  readonly maxMs?: number;
  /** The retention of undo state (7 days), and the maximum size of contents that only undo needs (5 GB). */
  readonly keepMs?: number;
  readonly keepBytes?: number;
}

/** Options for waiting until a call in an overlapping workspace ends. `onBusy` receives the id of that call. */
export interface WaitOptions {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly onBusy?: (call: string) => void;
}

/** The checkpoint of a running call. End it once: with `finish` to allow a later undo, or with `rollBack` to undo at once. */
export interface Checkpoint {
  finish(): Promise<CheckpointResult>;
  rollBack(): Promise<WorkspaceUndoResult>;
}

const dayMs = 24 * 60 * 60 * 1000;
const defaultSweepIntervalMs = 60 * 60 * 1000;
/** A sweep that is due is attempted this often in each interval, because it is skipped while calls run. */
const sweepAttempts = 12;
const firstPauseMs = 20;
const maxPauseMs = 500;
const defaultWaitMs = 60_000;

/** Creates checkpoints of workspaces before calls. Starts no thread and touches no file before the first call that needs it. */
export class Checkpoints {
  readonly #data: string | undefined;
  readonly #limits: WorkspaceLimits;
  readonly #mutex = new WorkspaceMutex();
  readonly #options: CheckpointOptions;
  readonly #sweepIntervalMs: number;
  #opened: UndoThread | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #temporary: string | undefined;

  /** Without a data directory, a temporary one is used and removed on close. */
  constructor(
    data: string | undefined,
    options: CheckpointOptions = {},
    sweepIntervalMs: number = defaultSweepIntervalMs,
  ) {
    const { maxFiles = 200_000, maxBytes = 2e9, maxMs = 60_000 } = options;
    this.#data = data;
    this.#limits = { files: maxFiles, bytes: maxBytes, milliseconds: maxMs };
    this.#options = options;
    this.#sweepIntervalMs = sweepIntervalMs;
  }

  /** Stores the state of the workspaces. Waits while another call uses an overlapping one; `signal` ends the wait. */
  async begin(call: string, workspaces: readonly string[], signal?: AbortSignal): Promise<Checkpoint> {
    const release = await this.#mutex.acquire(workspaces);
    try {
      signal?.throwIfAborted();
      const stored = await this.#retryWhileBusy(
        () => this.#thread.call('begin', call, workspaces),
        omitUndefined({ signal }),
      );
      if ('busy' in stored) signal?.throwIfAborted();
    } catch (error) {
      release();
      throw error;
    }
    return {
      finish: () => this.#thread.call('finish', call).finally(release),
      rollBack: () => this.#thread.call('rollBack', call).finally(release),
    };
  }

  /** Returns the changes of a call; `undefined` when it has no record. */
  async changesOf(call: string): Promise<ChangesOfCall | undefined> {
    const isUsed = this.#opened !== undefined || (this.#data !== undefined && existsSync(join(this.#data, 'undo')));
    if (!isUsed) return undefined;
    return this.#thread.call('changesOf', call);
  }

  /** Undoes the changes of a call. Returns the call that uses the workspace when the wait takes too long. */
  async undo(
    call: string,
    options: WaitOptions & { readonly partial?: boolean } = {},
  ): Promise<WorkspaceUndoResult | WorkspaceBusyError> {
    const { waitMs = defaultWaitMs, partial = false } = options;
    return this.#retryWhileBusy(() => this.#thread.call('undo', call, partial), { ...options, waitMs });
  }

  async close(): Promise<void> {
    clearInterval(this.#sweepTimer);
    await this.#opened?.close();
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }

  /** The undo thread. On start it finishes interrupted work of an earlier process and removes expired state. */
  get #thread(): UndoThread {
    if (this.#opened !== undefined) return this.#opened;
    const data = this.#data ?? (this.#temporary = mkdtempSync(join(tmpdir(), 'signalbox-undo-')));
    const thread = new UndoThread({ data, limits: this.#limits });
    this.#opened = thread;
    // The next request reports a persistent problem.
    thread.call('recover').catch(() => undefined);
    this.#sweep(thread, dayMs);
    this.#sweepTimer = setInterval(() => {
      // A call would wait for the sweep, so sweep between calls.
      if (this.#mutex.isFree) this.#sweep(thread, this.#sweepIntervalMs);
    }, this.#sweepIntervalMs / sweepAttempts).unref();
    return thread;
  }

  /** Removes expired state, unless this or another process has done so within `atMostEveryMs`, or a call is running. */
  #sweep(thread: UndoThread, atMostEveryMs: number): void {
    const { keepMs = 7 * dayMs, keepBytes = 5e9 } = this.#options;
    thread.call('sweep', { since: Date.now() - keepMs, bytes: keepBytes }, atMostEveryMs).catch(() => undefined);
  }

  /** Repeats a request while another call uses the workspace, until the wait ends. */
  async #retryWhileBusy<Answer extends object>(
    ask: () => Promise<Answer | WorkspaceBusyError>,
    { signal, waitMs = Number.POSITIVE_INFINITY, onBusy }: WaitOptions,
  ): Promise<Answer | WorkspaceBusyError> {
    const end = Date.now() + waitMs;
    let reported: string | undefined;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, maxPauseMs)) {
      const answer = await ask();
      if (!('busy' in answer)) return answer;
      if (onBusy !== undefined && reported !== answer.busy) emitSafely(onBusy, answer.busy);
      reported = answer.busy;
      if (signal?.aborted === true || Date.now() >= end) return answer;
      const left = Math.min(pause * (0.5 + Math.random()), end - Date.now());
      await delay(left, undefined, omitUndefined({ signal })).catch(() => undefined);
    }
  }
}

/** The changes of a call, and whether they were undone. */
export type ChangesOfCall = NonNullable<ReturnType<UndoEngine['changesOf']>>;

/**
 * Serializes calls in overlapping directories in the order of arrival, because concurrent changes of two calls cannot be
 * distinguished.
 */
class WorkspaceMutex {
  readonly #held = new Set<{ readonly directories: readonly string[]; readonly over: Promise<void> }>();

  get isFree(): boolean {
    return this.#held.size === 0;
  }

  /** Waits until no overlapping directory is in use. Resolves with the function that releases the lock. */
  async acquire(workspaces: readonly string[]): Promise<() => void> {
    const directories = workspaces.map((workspace) => resolve(workspace));
    const before = [...this.#held].filter((other) =>
      other.directories.some((theirs) => directories.some((ours) => isOverlapping(theirs, ours))),
    );
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const lock = { directories, over };
    this.#held.add(lock);
    await Promise.all(before.map((other) => other.over));
    return () => {
      this.#held.delete(lock);
      end();
    };
  }
}
