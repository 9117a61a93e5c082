import { checkedElicitation } from '../../catalog/schema/client-answers.ts';
import type { Elicitation, ElicitationAnswer } from '../../core/calls/call-client.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type Principal, principalName } from '../../core/principal.ts';
import type { SessionRecord, SessionStore } from '../../journal/store/session-store.ts';
import { readEvents } from '../events/read-events.ts';
import type { ElicitationRequired, SessionEvent, SessionEventBody } from '../events/session-event.ts';
import type { AskingTurn } from './turn-questions.ts';

/** A question of a server to the human behind a turn: a form, a page to open, or permission to ask a model. */
type ElicitationPrompt =
  | Elicitation
  | { readonly mode: 'sampling'; readonly message: string; readonly model: string; readonly request: JsonObject };

/** The origin of a question: a call of the turn, and the server that runs it. */
export interface ElicitationSource {
  readonly toolCallId: string;
  readonly server: string;
  /** Aborted when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

type Resolved = Extract<SessionEventBody, { type: 'elicitation_resolved' }>;
type Resolution = Pick<Resolved, 'action' | 'by' | 'reason'>;

interface OpenElicitation {
  readonly prompt: ElicitationPrompt;
  resolve(answer: ElicitationAnswer, resolution: Resolution): void;
}

/** A question is one session event, which is stored and sent to every reader. */
const maxPromptBytes = 256 * 1024;
const maxOpen = 16;

/** The questions that servers ask the user in one turn. */
export class TurnElicitations {
  readonly #turn: AskingTurn;
  readonly #open = new Map<string, OpenElicitation>();
  readonly #closed = new Map<string, Resolution>();
  #isOver = false;

  constructor(turn: AskingTurn) {
    this.#turn = turn;
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Asks the user and resolves with the answer, which fits the requested schema. Resolves with `cancel` when no answer came in
   * time, the turn was interrupted, or the server no longer waits.
   */
  async ask(prompt: ElicitationPrompt, { toolCallId, server, signal }: ElicitationSource): Promise<ElicitationAnswer> {
    const bytes = Buffer.byteLength(JSON.stringify(prompt));
    if (bytes > maxPromptBytes)
      throw new Error(`the question has ${bytes} bytes; a session shows at most ${maxPromptBytes}`);
    const { emit, whenAnnounced, interrupt, expireMs } = this.#turn;
    await whenAnnounced(toolCallId);
    if (this.#open.size >= maxOpen)
      throw new Error(`${maxOpen} questions already wait for an answer in this turn; ask again when some are answered`);
    const ended = AbortSignal.any([signal, interrupt]);
    if (ended.aborted || this.#isOver) return { action: 'cancel' };
    const elicitationId = newId('elic');
    const { promise, resolve } = Promise.withResolvers<ElicitationAnswer>();
    const close = (answer: ElicitationAnswer, resolution: Resolution): void => {
      if (!this.#open.delete(elicitationId)) return;
      this.#closed.set(elicitationId, resolution);
      emit({ type: 'elicitation_resolved', toolCallId, elicitationId, ...resolution });
      resolve(answer);
    };
    const cancel = (reason: string): void => close({ action: 'cancel' }, { action: 'cancel', by: 'system', reason });
    const onAbort = (): void => cancel(messageOf(ended.reason));
    const timer = setTimeout(cancel, expireMs, 'nobody answered in time');
    ended.addEventListener('abort', onAbort, { once: true });
    this.#open.set(elicitationId, { prompt, resolve: close });
    const expiresAt = new Date(Date.now() + expireMs).toISOString();
    // The server may send its own id with a page, but only this one is unique in the session.
    emit({ ...prompt, type: 'elicitation_required', toolCallId, elicitationId, server, expiresAt });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      ended.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Takes the user's answer. Returns false when this turn asked no such question; throws `elicitation-closed` when it no longer
   * waits, and `elicitation-invalid` when the content does not match the requested schema.
   */
  answer(elicitationId: string, answer: JsonObject, by: Principal): boolean {
    const closed = this.#closed.get(elicitationId);
    if (closed !== undefined) throw elicitationClosedError(closed);
    const open = this.#open.get(elicitationId);
    if (open === undefined) return false;
    const checked = validateAnswer(open.prompt, answer);
    open.resolve(checked, { action: checked.action, by: principalName(by) });
    return true;
  }

  /** Cancels the open questions when the turn ends. */
  close(): void {
    this.#isOver = true;
    for (const { resolve } of this.#open.values())
      resolve({ action: 'cancel' }, { action: 'cancel', by: 'system', reason: 'the turn is over' });
  }
}

function validateAnswer(prompt: ElicitationPrompt, answer: JsonObject): ElicitationAnswer {
  try {
    return checkedElicitation(prompt.mode === 'form' ? prompt : { mode: 'url', message: '', url: '' }, answer);
  } catch (error) {
    throw new SignalboxError('elicitation-invalid', messageOf(error), { cause: error });
  }
}

/** The error for an answer that comes too late. */
export function elicitationClosedError({ action, by, reason }: Resolution): SignalboxError {
  return new SignalboxError(
    'elicitation-closed',
    reason === undefined
      ? `the question was already answered (${action}) by ${by}`
      : `the question no longer waits for an answer: ${reason}`,
  );
}

/** A question of a server that waits for an answer, as its session shows it. */
export type PendingElicitation = SessionEvent & ElicitationRequired;

const pageSize = 100;

/** Returns the questions of servers that wait in the last turn of a session, the oldest first. */
export async function readOpenElicitations(
  store: Pick<SessionStore, 'events'>,
  { id, turnSeq }: Pick<SessionRecord, 'id' | 'turnSeq'>,
): Promise<readonly PendingElicitation[]> {
  const open = new Map<string, PendingElicitation>();
  for await (const event of readEvents(store, id, Math.max(0, turnSeq - 1))) {
    if (event.type === 'elicitation_required') open.set(event.elicitationId, event);
    if (event.type === 'elicitation_resolved') open.delete(event.elicitationId);
  }
  return [...open.values()];
}

/** Returns the questions of servers that wait in any session, whichever process runs its turn. */
export async function readPendingElicitations(
  store: Pick<SessionStore, 'events' | 'select'>,
): Promise<readonly PendingElicitation[]> {
  const pending: PendingElicitation[] = [];
  for (let page = await store.select({ active: true, limit: pageSize }); ;) {
    for (const session of page)
      if (session.turn === 'waiting') pending.push(...(await readOpenElicitations(store, session)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    const after = { activeAt: last.activeAt, id: last.id };
    page = await store.select({ active: true, limit: pageSize, after });
  }
  return pending.toSorted((a, b) => a.at.localeCompare(b.at));
}
