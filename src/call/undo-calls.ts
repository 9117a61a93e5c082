import type { ToolInvoked } from '../journal/entry.ts';
import type { JournalReader } from '../journal/reader.ts';
import type { Principal } from '../model/call.ts';
import type { FileChange } from '../model/change.ts';
import { SignalboxError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { ChangesOfCall, Checkpoints } from '../undo/checkpoints.ts';
import type { SkippedPath } from '../undo/undo-engine.ts';
import type { Compensation, Compensations } from './compensations.ts';

/** What may be said about an undo. */
export interface UndoOptions {
  /** Who wants it; whoever uses the library unless said otherwise. */
  readonly principal?: Principal;
  /** Restores what nobody has changed since, instead of nothing, when something else was. */
  readonly partial?: boolean;
}

/** What came of the undo of one call. */
export interface UndoResult {
  readonly callId: string;
  readonly tool: string;
  /** `conflict`: something was changed since, and nothing was touched. `failed`: the tool's own undo did not work. */
  readonly outcome: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** What the call had changed in its workspace. */
  readonly changes: readonly FileChange[];
  /** What was left as it is, and why. */
  readonly conflicts: readonly SkippedPath[];
  /** Why the tool's own undo failed. */
  readonly error?: string;
}

const someone: Principal = { id: 'local', kind: 'human' };

/** Takes calls back: what they changed in workspaces, then what only the tool's own undo function can. */
export class UndoCalls {
  readonly #journal: JournalReader;
  readonly #checkpoints: Checkpoints;
  readonly #compensations: Compensations;

  constructor(journal: JournalReader, checkpoints: Checkpoints, compensations: Compensations) {
    this.#journal = journal;
    this.#checkpoints = checkpoints;
    this.#compensations = compensations;
  }

  /** What an undo of the call would take back from workspaces, as far as it is known. */
  async preview(callId: string): Promise<ChangesOfCall | undefined> {
    await this.#ended(callId);
    return this.#checkpoints.changesOf(callId);
  }

  async undo(callId: string, { partial = false, principal = someone }: UndoOptions = {}): Promise<UndoResult> {
    const call = await this.#ended(callId);
    const kept = await this.#checkpoints.changesOf(callId);
    const compensation = await this.#compensation(call, principal);
    if (kept === undefined && compensation === undefined) throw nothingKept(call);
    if (kept?.status === 'undone' && compensation === undefined) throw undoneBefore(callId);

    const restored =
      kept === undefined || kept.status === 'undone'
        ? { outcome: 'undone' as const, changes: [], total: 0, conflicts: [] }
        : await this.#checkpoints.undo(callId, { partial });
    const { outcome, changes, total, conflicts } = restored;
    const compensated =
      outcome === 'conflict' || compensation === undefined ? undefined : await this.#compensations.run(compensation);
    if (compensated?.ok === false && compensated.taken && total === 0) throw undoneBefore(callId);
    const error = compensated?.ok === false && !compensated.taken ? { error: compensated.problem } : {};
    const result = 'error' in error ? 'failed' : outcome;
    await this.#compensations.record(
      { call: callId, session: call.sessionId, tool: call.tool, principal },
      { result, changes: total, conflicts, ...error },
    );
    return { callId, tool: call.tool, outcome: result, changes, conflicts, ...error };
  }

  /** Takes back all calls of a session, the last one first, until one cannot be. */
  async undoSession(session: string, options: UndoOptions = {}): Promise<UndoResult[]> {
    const results: UndoResult[] = [];
    for (let before: number | undefined; ;) {
      const page = await this.#journal.calls({ session, ...(before === undefined ? {} : { before }) });
      for (const call of page.items) {
        if (call.effect !== 'undoable' && call.effect !== 'compensable') continue;
        const result = await this.#undoIfPossible(call.callId, options);
        if (result === undefined) continue;
        results.push(result);
        if (result.outcome === 'conflict' || result.outcome === 'failed') return results;
      }
      if (page.next === undefined) return results;
      before = page.next;
    }
  }

  async #undoIfPossible(callId: string, options: UndoOptions): Promise<UndoResult | undefined> {
    try {
      return await this.undo(callId, options);
    } catch (error) {
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

  async #compensation(call: ToolInvoked, principal: Principal): Promise<Compensation | undefined> {
    if (call.outcome !== 'completed' && call.outcome !== 'unknown') return undefined;
    const tool = this.#compensations.toolFor(call);
    if (tool === undefined) return undefined;
    const parsed = await tool.offered.parse(wholeArguments(call));
    if (!parsed.ok) throw new SignalboxError('undo-unavailable', `the arguments of ${call.callId} do not fit any more`);
    return { call: call.callId, session: call.sessionId, tool, args: parsed.value, principal };
  }
}

/** The journal holds no secrets, and no very long arguments: what it left out cannot be given to the tool again. */
function wholeArguments({ callId, arguments: args }: ToolInvoked): JsonObject {
  const isCut = '…' in args || JSON.stringify(args).includes('[redacted');
  if (!isCut) return args;
  const message = `the arguments of ${callId} are not recorded whole (they hold secrets, or are very long), so its undo cannot be run`;
  throw new SignalboxError('undo-unavailable', message);
}

function undoneBefore(callId: string): SignalboxError {
  return new SignalboxError('undo-done', `${callId} was undone already`);
}

function nothingKept({ callId, tool, effect, outcome }: ToolInvoked): SignalboxError {
  const reason =
    effect === 'undoable' || effect === 'compensable'
      ? outcome === 'completed' || outcome === 'unknown'
        ? 'it changed nothing in a declared workspace, or that is kept no longer, and the tool has no undo of its own'
        : `it ended as "${outcome}", and what it had changed was taken back then`
      : `the effect of ${tool} is "${effect ?? 'unknown'}"`;
  return new SignalboxError('undo-unavailable', `${callId} cannot be undone: ${reason}`);
}
