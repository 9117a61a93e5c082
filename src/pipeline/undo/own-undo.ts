import type { Undone, ToolInvoked } from '../../journal/entries/journal-event.ts';
import type { JournalReader } from '../../journal/queries/journal-reader.ts';
import type { Principal } from '../../core/principal.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { neutralPlaceholder } from '../../redaction/redactor.ts';
import { argumentsDigest } from '../recording/canonical-arguments.ts';
import type { Compensation, Compensations } from './compensations.ts';

/** The state of a tool's own undo function for a call. `blocked`: it should run and cannot. */
export type OwnUndo =
  | { readonly kind: 'none' }
  | { readonly kind: 'done' }
  | { readonly kind: 'ready'; readonly compensation: Compensation }
  | { readonly kind: 'blocked'; readonly reason: string };

/** A request to run the undo function of a call; `again` runs it although it was begun before. */
interface OwnUndoRequest {
  readonly call: ToolInvoked;
  readonly principal: Principal;
  readonly again: boolean;
}

const none = { kind: 'none' } as const;
const blocked = (reason: string): OwnUndo => ({ kind: 'blocked', reason });

/** Determines whether the undo function of a call's tool has to run, and whether it can. */
export async function ownUndo(
  { call, principal, again }: OwnUndoRequest,
  journal: JournalReader,
  compensations: Compensations,
): Promise<OwnUndo> {
  const { callId, tool: name, sessionId: session } = call;
  const before = await runsBefore(callId, journal);
  if (before.ended === 'undone') return { kind: 'done' };
  // A call that did not complete was compensated at once if it may have acted.
  if (before.count === 0 && call.outcome !== 'completed' && call.outcome !== 'unknown') return none;

  const tool = compensations.find(name);
  const isSame = tool !== undefined && tool.definition.definitionHash === call.definitionHash;
  if (!isSame || tool.offered.undo === undefined) {
    if (call.ownUndo !== true) return none;
    if (tool === undefined) return blocked(`${name} is not available, so its own undo cannot be run; check its server`);
    return blocked(`${name} was changed since the call, so its own undo may not fit the call and was not run`);
  }
  if (before.count > 0 && !again) return blocked(`${before.ended}; check its effect, then run it again with "again"`);
  // The caller's original form, because the arguments pass through the schema again.
  const given = call.givenArguments ?? call.arguments;
  if (isIncomplete(call, given))
    return blocked(
      `the arguments of ${callId} are not recorded in full (they contain secrets, or are very long), so its own undo cannot be run`,
    );
  const filled = structuredClone(given);
  tool.fillDefaults?.(filled);
  const parsed = await tool.offered.parse(filled);
  if (!parsed.ok)
    return blocked(`the arguments of ${callId} no longer match the schema of ${name}, so its own undo cannot be run`);
  const compensation = { call: callId, session, tool, args: parsed.value, principal, earlier: before.count };
  return { kind: 'ready', compensation };
}

/** Returns the number of runs of the undo function, and the result of the last one. */
async function runsBefore(call: string, journal: JournalReader): Promise<{ count: number; ended: string }> {
  const begun = await journal.query({ call, type: 'UndoStarted', limit: 1000 });
  const [last] = begun.items;
  const count = begun.items.length;
  if (last === undefined) return { count, ended: '' };
  const since = await journal.query({ call, type: 'Undone', after: last.seq, limit: 1000 });
  const endings = since.items as readonly Undone[];
  if (endings.some(({ result }) => result === 'undone' || result === 'partly-undone'))
    return { count, ended: 'undone' };
  const failed = endings.find(({ result }) => result === 'failed');
  const ended =
    failed === undefined
      ? 'its own undo was started before, and is still running or was interrupted'
      : `its own undo failed before (${failed.error ?? 'for no known reason'}) and may have taken effect in part`;
  return { count, ended };
}

/** Returns whether the recorded arguments of a call are incomplete: secrets and very long arguments are not in the journal. */
function isIncomplete({ arguments: recorded, argumentsHash }: ToolInvoked, given: JsonObject): boolean {
  if (argumentsHash !== undefined && argumentsDigest(JSON.stringify(recorded)) !== argumentsHash) return true;
  const text = JSON.stringify(given);
  return '…' in given || text.includes('[redacted') || text.includes(neutralPlaceholder);
}
