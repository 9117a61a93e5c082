import type { ApprovalAnswer, ApprovalChannel, ApprovalRequest } from '../../core/calls/approval.ts';
import { messageOf } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { newSecretId } from '../../core/identifiers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { fallbackPollMs } from '../../journal/store/pub-sub.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import type { CallInterruption, Waits } from '../limits/waits.ts';
import { parseQuestion, stateOf } from './approval-view.ts';
import { type Approvals, answeredTopic } from './approvals.ts';
import { type Binding, questionDraft, toQuestion, unansweredRules } from './question-binding.ts';
import { hideParts } from './hidden-parts.ts';

/** Dependencies of `Questions`. */
export interface QuestionParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly waits: Waits;
  readonly approvals: Approvals;
  readonly expireAfterMs: number;
  /** Whether other processes use the store, so that someone can answer there. */
  readonly shared: boolean;
}

/** The end of a wait: the approval as it was then, or the reason why the call ended. */
export type AnswerWait = { readonly record: ApprovalRecord } | { readonly ended: CallInterruption };

const maxCompared = 10;

/** Poll intervals for answers from other processes: without notifications, and as a safety net with them. */
const pollMs = { unnotified: 250, notified: fallbackPollMs };

/** Asks humans about calls through every channel at once, and waits for the first answer in any process. */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #live = new Map<string, PendingQuestion>();
  readonly #pollMs: number;
  readonly #stops: readonly (() => void)[];
  /** End the waits of calls with a limited wait. */
  readonly #ends = new Set<() => void>();
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;
  #polling = false;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    parts.approvals.onAnswer((record) => this.#settle(record));
    const { pubSub } = parts.store;
    this.#pollMs = pubSub.isCrossProcess ? pollMs.notified : pollMs.unnotified;
    this.#stops = [
      pubSub.subscribe(answeredTopic, (id) => void this.#refresh([id])),
      pubSub.onGap(() => void this.#refresh(this.#live.keys())),
    ];
  }

  /**
   * Returns the open approval of exactly this call: not yet answered, used or delivered. After a change of the rules, an approval
   * stays valid if it answers every rule that asks now.
   */
  async find(call: DecidedCall, { binding, subject }: Binding): Promise<ApprovalRecord | undefined> {
    const { store } = this.#parts;
    const openAt = Date.now();
    const [known] = await store.approvals({ binding, openAt, limit: 1 });
    if (known !== undefined) return known;
    const others = await store.approvals({ subject, openAt, answers: ['', 'approved'], limit: maxCompared });
    return others.find((record) => answersCall(record, call));
  }

  /** Returns the open approval of exactly this call, or a new one; `undefined` when nobody can be asked. */
  async open(call: DecidedCall, binding: Binding): Promise<ApprovalRecord | undefined> {
    const { journal, redactor, approvals } = this.#parts;
    const { reveals } = approvals;
    for (;;) {
      const known = await this.find(call, binding);
      if (known !== undefined) return known;
      if (!this.#parts.shared && this.#channelsOf(call).length === 0) return undefined;
      const { record, draft } = await this.#request(call, binding);
      if (parseQuestion(record).hidden.some(({ kind }) => kind !== 'registered'))
        await reveals.put(record.id, hideParts(call.args.text, redactor, 'registered'), record.expiresAt);
      if ((await journal.append(draft, 'crash')) !== undefined) return record;
      // Another process asked about the same call at the same time, so its approval is used.
      await reveals.remove(record.id);
    }
  }

  /** Waits for the answer until the given time. Asks through the channels of this process, once for all waiting calls. */
  async wait(record: ApprovalRecord, call: DecidedCall, until: number): Promise<AnswerWait> {
    const isLimited = Number.isFinite(until);
    if (stateOf(record) !== 'pending' || (isLimited && this.#isStopping)) return { record };
    const question = this.#join(record, call) ?? this.#ask(record, call);
    const deadline = Math.min(until, call.deadline ?? Number.POSITIVE_INFINITY);
    const { approvals, waits } = this.#parts;
    question.enter();
    const entered = approvals.waiting.enter(record, call.id);
    const { promise: stopped, resolve } = Promise.withResolvers<ApprovalRecord>();
    const end = (): void => resolve(record);
    if (isLimited) this.#ends.add(end);
    const waited = await waits.until(
      Promise.race([question.answered, stopped]),
      call.options.signal,
      Number.isFinite(deadline) ? deadline : undefined,
    );
    this.#ends.delete(end);
    await entered;
    await approvals.waiting.leave({ approval: record.id, call: call.id });
    const isLast = question.leave();
    if ('value' in waited) return { record: waited.value };
    // The question stays open after the wait ends, and the answer serves the next call.
    if (waited.ended === 'timed-out' && deadline === until) return { record };
    if (isLast) this.#withdraw(question, 'the call has ended');
    return waited;
  }

  /** Ends every limited wait as if its time were over, because the server stops: the call ends as `awaiting-approval`. */
  endWaits(): void {
    this.#isStopping = true;
    for (const end of this.#ends) end();
  }

  /** Withdraws all questions from the channels; the approvals stay. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#parts.approvals.waiting.stop();
    for (const question of this.#live.values()) this.#withdraw(question, 'Signalbox is closing');
  }

  async #request(call: DecidedCall, binding: Binding): Promise<{ record: ApprovalRecord; draft: EntryDraft }> {
    const note = await this.#whyOutdated(call, binding);
    const question = { ...toQuestion(call, binding, this.#parts.redactor), ...omitUndefined({ note }) };
    const requestedAt = Date.now();
    const record: ApprovalRecord = {
      id: newSecretId('appr'),
      binding: binding.binding,
      subject: binding.subject,
      principal: question.principal.id,
      server: question.server,
      requestedAt,
      expiresAt: requestedAt + this.#parts.expireAfterMs,
      asked: JSON.stringify(question),
      answer: '',
      given: '',
      closed: false,
      usedBy: '',
    };
    return { record, draft: questionDraft(record, question) };
  }

  /** Returns the reason why an approval of the same call no longer applies. */
  async #whyOutdated(call: DecidedCall, { subject }: Binding): Promise<string | undefined> {
    const records = await this.#parts.store.approvals({ subject, openAt: Date.now(), limit: 10 });
    const approved = records.find((record) => stateOf(record) === 'approved');
    if (approved === undefined) return undefined;
    const question = parseQuestion(approved);
    const isOtherTool = question.definitionHash !== call.tool.definition.definitionHash;
    const rules = unansweredRules(call.decision, question.decision).map(({ rule }) => JSON.stringify(rule));
    const what = isOtherTool
      ? 'the definition of the tool has changed since'
      : `${rules.join(' and ')} did not ask then, or ${rules.length === 1 ? 'has' : 'have'} changed since`;
    return `${approved.id} was approved, but ${what}, so it does not apply to this call`;
  }

  #channelsOf(call: DecidedCall): readonly ApprovalChannel[] {
    return [...this.#parts.approvals.channels, ...ownChannel(call)];
  }

  /** Joins a question that was asked before. Only the human of this call still has to be asked. */
  #join(record: ApprovalRecord, call: DecidedCall): PendingQuestion | undefined {
    const question = this.#live.get(record.id);
    if (question !== undefined)
      for (const channel of ownChannel(call)) void this.#askThrough(channel, record, call, question);
    return question;
  }

  #ask(record: ApprovalRecord, call: DecidedCall): PendingQuestion {
    const question = new PendingQuestion(record);
    this.#live.set(record.id, question);
    this.#schedule();
    for (const channel of this.#channelsOf(call)) void this.#askThrough(channel, record, call, question);
    return question;
  }

  /** Asks through one channel. Ignores late answers; the signal notifies the other channels. */
  async #askThrough(
    channel: ApprovalChannel,
    record: ApprovalRecord,
    call: DecidedCall,
    { signal }: PendingQuestion,
  ): Promise<void> {
    const { approvals } = this.#parts;
    const channelPrincipal = { id: channel.name, kind: 'human' } as const;
    try {
      const answer = await channel.ask(requestOf(record, call, signal, approvals));
      if (answer === undefined || signal.aborted) return;
      const by = answer.by ?? channelPrincipal;
      if (answer.allow === true) await approvals.approveWithFullArguments(record.id, { ...answer, by });
      else await approvals.deny(record.id, { by, ...omitUndefined({ reason: answer.reason }) });
    } catch (error) {
      if (signal.aborted) return;
      const by = { id: channel.name, kind: 'system' } as const;
      await approvals.denyBySystem(record.id, by, `asking failed: ${messageOf(error)}`).catch(() => undefined);
    }
  }

  #settle(record: ApprovalRecord): void {
    const question = this.#live.get(record.id);
    if (question === undefined) return;
    this.#live.delete(record.id);
    question.settle(record);
  }

  #withdraw(question: PendingQuestion, reason: string): void {
    this.#live.delete(question.id);
    question.withdraw(reason);
  }

  /** Schedules the next check. Expiry sends no notification, and notifications of other processes may be lost. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#polling || this.#live.size === 0) return;
    const expiry = Math.min(...Array.from(this.#live.values(), ({ expiresAt }) => expiresAt)) - Date.now();
    const pause = Math.max(pollMs.unnotified, Math.min(this.#pollMs, expiry));
    this.#timer = setTimeout(() => void this.#poll(), pause);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#polling = true;
    await this.#refresh(this.#live.keys());
    this.#polling = false;
    this.#schedule();
  }

  async #refresh(ids: Iterable<string>): Promise<void> {
    try {
      for (const id of ids) {
        const record = this.#live.has(id) ? await this.#parts.store.approval(id) : undefined;
        if (record !== undefined && stateOf(record) !== 'pending') this.#settle(record);
      }
    } catch {
      // The store may be temporarily unavailable; calls wait no longer than they would anyway.
    }
  }
}

function ownChannel({ options: { approve } }: DecidedCall): readonly ApprovalChannel[] {
  return approve === undefined ? [] : [callbackChannel('caller', approve)];
}

/** Converts a callback to a channel. Any result other than an explicit approval denies the call. */
export function callbackChannel(
  name: string,
  ask: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>,
): ApprovalChannel {
  return {
    name,
    async ask(request) {
      const answer = (await ask(request)) as ApprovalAnswer | undefined;
      if (answer?.allow === true || answer?.allow === false) return answer;
      return { allow: false };
    },
  };
}

/** Returns whether an approval is for the current definition of the tool and answers every rule that asks about the call. */
export function answersCall(record: ApprovalRecord, call: DecidedCall): boolean {
  const { definitionHash, decision } = parseQuestion(record);
  return (
    definitionHash === call.tool.definition.definitionHash && unansweredRules(call.decision, decision).length === 0
  );
}

function requestOf(
  record: ApprovalRecord,
  call: DecidedCall,
  signal: AbortSignal,
  approvals: Pick<Approvals, 'reveal'>,
): ApprovalRequest {
  const { arguments: shown, hidden } = parseQuestion(record);
  return {
    approvalId: record.id,
    callId: call.id,
    tool: call.tool.definition,
    ...(call.tool.flags.length === 0 ? {} : { flags: call.tool.flags }),
    arguments: JSON.parse(call.args.text) as JsonObject,
    shown,
    hidden,
    principal: call.principal,
    session: call.session,
    decision: call.decision,
    expiresAt: new Date(record.expiresAt),
    reveal: (by) => approvals.reveal(record.id, { by }),
    signal,
  };
}

/** One pending approval in this process, with the calls that wait for it and the channels that were asked. */
class PendingQuestion {
  readonly id: string;
  readonly expiresAt: number;
  readonly answered: Promise<ApprovalRecord>;
  readonly #controller = new AbortController();
  readonly #resolve: (record: ApprovalRecord) => void;
  #waiting = 0;

  constructor({ id, expiresAt }: Pick<ApprovalRecord, 'id' | 'expiresAt'>) {
    this.id = id;
    this.expiresAt = expiresAt;
    const { promise, resolve } = Promise.withResolvers<ApprovalRecord>();
    this.answered = promise;
    this.#resolve = resolve;
  }

  /** Aborted when the answer is no longer needed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  enter(): void {
    this.#waiting += 1;
  }

  /** Removes a waiting call. Returns true when no calls wait any longer. */
  leave(): boolean {
    this.#waiting -= 1;
    return this.#waiting === 0;
  }

  /** Delivers the answer to all waiting calls, and notifies the other channels. */
  settle(record: ApprovalRecord): void {
    this.#resolve(record);
    this.withdraw(`${record.id} was answered, or has expired`);
  }

  withdraw(reason: string): void {
    this.#controller.abort(new DOMException(reason, 'AbortError'));
  }
}
