import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { text } from '../../core/tools/content.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { messageOf } from '../../core/errors.ts';
import type { Checkpoint, Checkpoints } from '../../workspace/checkpoints.ts';
import { StateChanges } from '../../workspace/state-changes.ts';
import type { CheckpointResult, WorkspaceUndoResult } from '../../workspace/undo-engine.ts';
import { type AdmittedCall, workspaceOf } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import type { Compensations } from '../undo/compensations.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';

/** Dependencies of the stage. */
export interface CheckpointParts {
  readonly checkpoints: Checkpoints;
  readonly compensations: Compensations;
  readonly waits: Waits;
}

// An aborted handler may still be writing.
const settlingMs = 2000;
const actedCodes = new Set(['tool-failed', 'capability-missing', 'result-invalid', 'result-too-large']);

/**
 * Stores the state before an undoable call, reports its changes, and rolls them back when it did not complete. The changes of an `unknown`
 * call stay, because it may still be running. When the state cannot be stored, the tool is not run.
 */
export function checkpoint({ checkpoints, compensations, waits }: CheckpointParts): Stage<AdmittedCall> {
  return (call, next) => {
    const { effect } = call.tool.definition;
    if (effect === 'read' || effect === 'irreversible') return next(call);
    call.run.stateChanges = new StateChanges();
    const workspace = effect === 'undoable' ? workspaceOf(call) : undefined;
    return workspace === undefined || workspace.length === 0
      ? withState(call, next)
      : withWorkspace(call, next, workspace);
  };

  async function withState(call: AdmittedCall, next: Next<AdmittedCall>): Promise<CallOutcome> {
    const outcome = await next(call);
    return keepsChanges(outcome) ? outcome : compensated(call, await settled(call, outcome));
  }

  async function withWorkspace(
    call: AdmittedCall,
    next: Next<AdmittedCall>,
    workspace: readonly string[],
  ): Promise<CallOutcome> {
    const begun = await begin(call, workspace);
    if ('outcome' in begun) return begun;
    let outcome: CallOutcome;
    try {
      outcome = await next(call);
    } catch (error) {
      // The tool may have run. Without the end of its checkpoint, no later call could use the workspace.
      await begun.finish().catch(() => undefined);
      throw error;
    }
    if (keepsChanges(outcome)) return finished(call, outcome, begun);
    return compensated(call, await rolledBack(call, await settled(call, outcome), begun));
  }

  async function begin(call: AdmittedCall, workspace: readonly string[]): Promise<Checkpoint | CallOutcome> {
    const giveUp = new AbortController();
    const beginning = checkpoints.begin(call.id, workspace, giveUp.signal);
    try {
      const waited = await waits.until(beginning, call.options.signal, call.deadline, () => giveUp.abort());
      if ('value' in waited) return waited.value;
      // The tool may have started at the same moment.
      beginning.then((late) => late.finish()).catch(() => undefined);
      return endedOutcome(call, waited.ended, 'the state of its workspace was stored');
    } catch (error) {
      return failedOutcome('failed', 'checkpoint-failed', `${call.name} was not run: ${messageOf(error)}`);
    }
  }

  async function rolledBack(call: AdmittedCall, outcome: CallOutcome, begun: Checkpoint): Promise<CallOutcome> {
    try {
      const undone = await begun.rollBack();
      if (undone.conflicts.length > 0) call.run.changes = undone;
      return undone.total === 0 ? outcome : withNote(outcome, rollbackNote(undone));
    } catch (error) {
      const note = `Its changes in the workspace could not be rolled back: ${messageOf(error)}`;
      await compensations.rollbackFailed(call, note);
      return withNote(outcome, note);
    }
  }

  async function compensated(call: AdmittedCall, outcome: CallOutcome): Promise<CallOutcome> {
    const mayHaveActed = call.run.abandoned !== undefined || actedCodes.has(outcome.error?.code ?? '');
    if (!mayHaveActed || call.tool.offered.undo === undefined) return outcome;
    const problem = await compensations.afterFailure(call);
    return withNote(
      outcome,
      problem === undefined ? 'Its own undo was run.' : `Its own undo failed, so its effect may remain: ${problem}`,
    );
  }
}

/** Whether the call ended in a way that leaves its changes in place. */
function keepsChanges({ outcome }: CallOutcome): boolean {
  return outcome === 'completed' || outcome === 'unknown';
}

async function settled(call: AdmittedCall, outcome: CallOutcome): Promise<CallOutcome> {
  const { abandoned, stateChanges } = call.run;
  let timer: NodeJS.Timeout | undefined;
  const ended =
    abandoned === undefined
      ? true
      : await Promise.race([
          Promise.resolve(abandoned).then(
            () => true,
            () => true,
          ),
          new Promise<boolean>((resolve) => (timer = setTimeout(resolve, settlingMs, false))),
        ]);
  clearTimeout(timer);
  stateChanges?.revert();
  if (ended) return outcome;
  return withNote(outcome, 'It is still running; its later changes are not rolled back.');
}

async function finished(call: AdmittedCall, given: CallOutcome, begun: Checkpoint): Promise<CallOutcome> {
  let changes: CheckpointResult;
  try {
    call.run.changes = changes = await begun.finish();
  } catch (error) {
    return withNote(given, `Its changes could not be determined, so it cannot be undone: ${messageOf(error)}`);
  }
  const outcome = changes.beyondLimits.length === 0 ? given : withNote(given, beyondNote(changes.beyondLimits));
  if (outcome.outcome === 'completed' || changes.total === 0) return outcome;
  return withNote(
    outcome,
    `${pluralize(changes.total, 'change')} in its workspace can be reverted by undoing ${call.id}.`,
  );
}

function beyondNote(beyond: CheckpointResult['beyondLimits']): string {
  const list = beyond.slice(0, 10).map(({ path }) => path);
  const more = beyond.length > list.length ? ` and ${beyond.length - list.length} more` : '';
  return `Not all of its changes can be undone: ${list.join(', ')}${more} received more new entries than undo can record. The rest can be undone.`;
}

function rollbackNote({ total, conflicts }: WorkspaceUndoResult): string {
  if (conflicts.length === 0)
    return `${pluralize(total, 'change')} in its workspace ${total === 1 ? 'was' : 'were'} rolled back.`;
  const list = conflicts.slice(0, 10).map(({ path, reason }) => `${path} (${reason})`);
  return `${pluralize(total, 'change')} in its workspace were rolled back, except ${list.join(', ')}.`;
}

function withNote(outcome: CallOutcome, note: string): CallOutcome {
  const content = [...outcome.content, text(note)];
  if (outcome.error === undefined) return { ...outcome, content };
  const { message } = outcome.error;
  const full = /[.!?…]$/.test(message) ? `${message} ${note}` : `${message}. ${note}`;
  return { ...outcome, content, error: { ...outcome.error, message: full } };
}
