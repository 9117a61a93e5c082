import { hostname } from 'node:os';
import type { ToolInvoked, CallStarted } from '../../journal/entries/journal-event.ts';
import type { JournalReader } from '../../journal/queries/journal-reader.ts';
import type { Principal } from '../../core/principal.ts';
import type { FileChange } from '../../core/calls/file-change.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { ChangesOfCall, Checkpoints } from '../../workspace/checkpoints.ts';
import type { SkippedPath } from '../../workspace/undo-engine.ts';
import type { Compensations } from './compensations.ts';
import { type OwnUndo, ownUndo } from './own-undo.ts';
import { toolRan } from '../policies/recorded-calls.ts';

/** Options of an undo. */
export interface UndoOptions {
  /** The principal that requests the undo; the local human by default. */
  readonly principal?: Principal;
  /** On a conflict, restores the files that have not changed since, instead of nothing. */
  readonly partial?: boolean;
  /** Runs the tool's own undo again after it failed or was interrupted. */
  readonly again?: boolean;
  /** The time to wait for calls that run in the same workspace (60 s). */
  readonly waitMs?: number;
  readonly onBusy?: (call: string) => void;
  readonly signal?: AbortSignal;
}

/** The result of undoing one call. */
export interface UndoResult {
  readonly callId: string;
  readonly tool: string;
  /** `conflict`: a file was changed since, and nothing was touched. `failed`: see `error`. */
  readonly outcome: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** The changes that the call had made in its workspace. */
  readonly changes: readonly FileChange[];
  /** The paths that were left unchanged, with the reasons. */
  readonly conflicts: readonly SkippedPath[];
  /** The reason why the undo failed or was blocked. */
  readonly error?: string;
}

/** The possibility of undoing a call. `blocked`: an obstacle prevents all or part of it. */
export type UndoStatus =
  | { readonly state: 'ready'; readonly changes: readonly FileChange[] }
  | {
      readonly state: 'blocked';
      readonly reason: string;
      /** Whether an undo with `partial` would restore the rest. */
      readonly canDoTheRest: boolean;
      readonly changes: readonly FileChange[];
    }
  | { readonly state: 'undone' }
  | { readonly state: 'unavailable'; readonly reason: string };

interface UndoState {
  readonly stored: ChangesOfCall | undefined;
  readonly own: OwnUndo;
  readonly isStored: boolean;
  readonly obstacle: string | undefined;
  readonly canDoTheRest: boolean;
}

const defaultPrincipal: Principal = { id: 'local', kind: 'human' };

/**
 * Undoes calls: restores workspaces, then runs the tool's own undo function. When one of the two is known to be impossible, the other is
 * done only on request. Session state that a completed call wrote is not restored.
 */
export class UndoCalls {
  readonly #journal: JournalReader;
  readonly #checkpoints: Checkpoints;
  readonly #compensations: Compensations;

  constructor(journal: JournalReader, checkpoints: Checkpoints, compensations: Compensations) {
    this.#journal = journal;
    this.#checkpoints = checkpoints;
    this.#compensations = compensations;
  }

  /** Returns whether a call can be undone now, as far as that is known without trying. */
  async status(callId: string): Promise<UndoStatus> {
    try {
      const { stored, obstacle, canDoTheRest } = await this.#inspect(await this.#ended(callId), { partial: true });
      const changes = stored?.changes ?? [];
      if (obstacle === undefined) return { state: 'ready', changes };
      return { state: 'blocked', reason: obstacle, canDoTheRest, changes };
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error;
      if (error.code === 'undo-done') return { state: 'undone' };
      if (error.code === 'undo-unavailable') return { state: 'unavailable', reason: error.message };
      throw error;
    }
  }

  async undo(callId: string, options: UndoOptions = {}): Promise<UndoResult> {
    const { principal = defaultPrincipal, again = false, partial = false, signal } = options;
    signal?.throwIfAborted();
    const call = await this.#ended(callId);
    const { own, isStored, obstacle, canDoTheRest } = await this.#inspect(call, { principal, again, partial });
    if (obstacle !== undefined && !canDoTheRest) return refused(call, `nothing was touched: ${obstacle}`);

    const restored = isStored ? await this.#checkpoints.undo(callId, options) : nothingToRestore;
    if ('busy' in restored)
      return refused(
        call,
        `nothing was touched: ${restored.busy} is still running in its workspace; try again when that call has ended`,
      );
    const { outcome, changes, total, conflicts } = restored;
    const ran =
      outcome === 'conflict' || own.kind !== 'ready' ? undefined : await this.#compensations.run(own.compensation);
    const problem = obstacle ?? (ran?.ok === false ? ran.problem : undefined);
    const error = problem === undefined || outcome === 'conflict' ? {} : { error: problem };
    const result = 'error' in error ? 'failed' : outcome;
    await this.#compensations.record({ call: callId, session: call.sessionId, principal }, call.tool, {
      result,
      changes: total,
      conflicts,
      ...error,
    });
    return { callId, tool: call.tool, outcome: result, changes, conflicts, ...error };
  }

  /** Returns the stored state of a call and the obstacles to its undo. Rejects when there is nothing to undo. */
  async #inspect(
    call: ToolInvoked,
    { principal = defaultPrincipal, again = false, partial = false }: UndoOptions,
  ): Promise<UndoState> {
    const { callId } = call;
    const stored = await this.#checkpoints.changesOf(callId);
    const own = await ownUndo({ call, principal, again }, this.#journal, this.#compensations);
    const isStored = stored !== undefined && stored.status !== 'undone';
    if (!isStored && (own.kind === 'none' || own.kind === 'done')) {
      const isDone = stored !== undefined || (own.kind === 'done' && hasRun(call));
      throw isDone ? undoneBefore(callId) : await this.#unavailable(call);
    }
    const obstacle = own.kind === 'blocked' ? own.reason : isLost(call, stored) ? lostWhere(call) : undefined;
    return { stored, own, isStored, obstacle, canDoTheRest: partial && (isStored || own.kind === 'ready') };
  }

  /** Undoes the calls of a session, newest first, until one cannot be undone. */
  async undoSession(session: string, options: UndoOptions = {}): Promise<UndoResult[]> {
    const results: UndoResult[] = [];
    for (let before: number | undefined; ;) {
      const page = await this.#journal.calls({ session, ...(before === undefined ? {} : { before }) });
      for (const call of page.items) {
        if (call.effect !== 'undoable' && call.effect !== 'compensable') continue;
        const result = await this.#undoIfPossible(call, options);
        if (result === undefined) continue;
        results.push(result);
        if (result.outcome === 'conflict' || result.outcome === 'failed') return results;
      }
      if (page.next === undefined) return results;
      before = page.next;
    }
  }

  async #undoIfPossible(call: ToolInvoked | CallStarted, options: UndoOptions): Promise<UndoResult | undefined> {
    try {
      return await this.undo(call.callId, options);
    } catch (error) {
      // Changes that are stored on another machine can still be undone there, so earlier calls must not be undone first.
      if (error instanceof SignalboxError && error.code === 'undo-unavailable' && call.type === 'ToolInvoked')
        if (isLost(call, undefined) && isElsewhere(call)) return refused(call, error.message);
      const isNothing = error instanceof SignalboxError && ['undo-unavailable', 'undo-done'].includes(error.code);
      if (isNothing) return undefined;
      throw error;
    }
  }

  async #ended(callId: string): Promise<ToolInvoked> {
    const call = await this.#journal.call(callId);
    if (call === undefined) throw new SignalboxError('call-unknown', `no call ${callId} is in the journal`);
    if (call.type === 'ToolInvoked') return call;
    throw new SignalboxError('undo-unavailable', `${callId} is still running; undo it when it has ended`);
  }

  async #unavailable(call: ToolInvoked): Promise<SignalboxError> {
    const { callId, tool, effect, outcome } = call;
    const cannot = (reason: string): SignalboxError =>
      new SignalboxError('undo-unavailable', `${callId} cannot be undone: ${reason}`);
    const { items } = await this.#journal.query({ call: callId, order: 'oldest-first' });
    if (!hasRun(call) && !toolRan(call, items))
      return cannot(`it ended as "${outcome}" before the tool was run, so it changed nothing`);
    if (effect !== 'undoable' && effect !== 'compensable')
      return cannot(`the effect of ${tool} is "${effect ?? 'unknown'}"`);
    if (isLost(call, undefined)) return cannot(lostWhere(call));
    if (hasRun(call))
      return cannot(
        'nothing is stored of it: it changed nothing in a declared workspace, or its changes could not be determined, or they are ' +
          'no longer stored; the tool has no undo of its own, and session state is restored only for calls that fail',
      );
    const first = items.find(({ type }) => type === 'UndoStarted' || type === 'Undone');
    if (first?.type === 'Undone' && first.error !== undefined)
      return cannot(`it ended as "${outcome}" and could not be rolled back then. ${first.error}`);
    return cannot(`it ended as "${outcome}", and its changes were rolled back then`);
  }
}

const nothingToRestore = { outcome: 'undone', changes: [], total: 0, conflicts: [] } as const;
const lost = 'the stored state before its changes is gone: it has expired, or was removed from the data directory';

/** Returns whether a call has changed something, or may have, and no stored state is left to restore. */
function isLost(call: ToolInvoked, stored: ChangesOfCall | undefined): boolean {
  const { changes = [], outcome } = call;
  return stored === undefined && (changes.length > 0 || (outcome === 'unknown' && isElsewhere(call)));
}

function isElsewhere({ machine }: ToolInvoked): boolean {
  return machine !== undefined && machine !== hostname();
}

function lostWhere(call: ToolInvoked): string {
  if (!isElsewhere(call)) return lost;
  return `it ran on ${call.machine}, where the state before it is stored; undo it there: signalbox undo ${call.callId}`;
}

function hasRun({ outcome }: ToolInvoked): boolean {
  return outcome === 'completed' || outcome === 'unknown';
}

function refused({ callId, tool }: ToolInvoked, error: string): UndoResult {
  return { callId, tool, outcome: 'failed', changes: [], conflicts: [], error };
}

function undoneBefore(callId: string): SignalboxError {
  return new SignalboxError('undo-done', `${callId} was undone already`);
}
