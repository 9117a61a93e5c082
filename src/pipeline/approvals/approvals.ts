import type { Catalog } from '../../catalog/catalog.ts';
import type {
  Approval,
  ApprovalChannel,
  ApprovalResolution,
  RememberScope,
  RememberedRule,
  RevealedArguments,
} from '../../core/calls/approval.ts';
import { type Principal, principalName } from '../../core/principal.ts';
import { SignalboxError } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { type JsonObject, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { answerDigest, ruleDigest } from '../../journal/integrity/approval-history.ts';
import type { ApprovalQuery, ApprovalRecord } from '../../journal/store/approval-store.ts';
import { type EntryDraft, toEvent } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import { askOncePerSessionRule } from '../../policy/default-policy.ts';
import { entryDraft } from '../recording/entry-draft.ts';
import type { ApprovalInbox, ApproveOptions, DenyOptions } from './approval-inbox.ts';
import { type ApprovalPage, type ApprovalPageQuery, firstPage, stateOf, toApproval } from './approval-view.ts';
import { assertRestorable, editProblem } from './edited-arguments.ts';
import { hideParts } from './hidden-parts.ts';
import {
  type RememberPreview,
  type Rememberable,
  rememberedBy,
  rememberedRule,
  toStoredRule,
  toRule,
} from './remembered.ts';
import { type RevealKey, RevealStore } from './reveal-store.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** A change of whether a call waits for an answer. */
export interface CallerChange {
  readonly approvalId: string;
  readonly caller: NonNullable<Approval['caller']>;
}

/** The topic on which processes notify each other of answers, by approval id. */
export const answeredTopic = 'approval-answered';

const maxExamples = 5;
const maxComparedApprovals = 10_000;
const maxEditLength = 1024 * 1024;

/** The questions that wait for a human, and their answers. The first answer wins. */
export class Approvals implements ApprovalInbox {
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #redactor: Redactor;
  readonly #catalog: Pick<Catalog, 'find'> | undefined;
  readonly #listeners = new Set<(record: ApprovalRecord) => void>();
  readonly #channels = new Set<ApprovalChannel>();
  readonly waiting: WaitingCalls;
  readonly reveals: RevealStore;

  /**
   * With a catalog, edited arguments are validated on approval, in addition to the validation when they run. `revealKey` is the location of
   * the key that encrypts hidden arguments.
   */
  constructor(
    store: Store,
    journal: Journal,
    redactor: Redactor,
    catalog?: Pick<Catalog, 'find'>,
    revealKey: RevealKey = { in: 'store' },
  ) {
    this.#catalog = catalog;
    this.waiting = new WaitingCalls(store);
    this.reveals = new RevealStore(store.keyValues, revealKey);
    this.#store = store;
    this.#journal = journal;
    this.#redactor = redactor;
  }

  /** Returns the approvals that can still be answered or used, newest first; with `all`, also the others. */
  async list({ all = false, limit = 100 }: { all?: boolean; limit?: number } = {}): Promise<readonly Approval[]> {
    return (await this.#select({ state: all ? 'all' : 'open', limit })).items;
  }

  /** Returns a page of the inbox, and every principal with pending questions, so that one with many does not hide the others. */
  async page(query: ApprovalPageQuery): Promise<ApprovalPage> {
    if (query.cursor !== undefined) await this.#find(query.cursor);
    const { items, conditions, isLast } = await this.#select(query);
    const openAt = Date.now();
    const [counts, callers] = await Promise.all([
      this.#store.countApprovals(conditions),
      this.#store.countApprovals({ openAt, answers: [''] }),
    ]);
    const last = items.at(-1);
    return {
      items,
      total: counts.reduce((sum, { count }) => sum + count, 0),
      ...(isLast || last === undefined ? {} : { next: last.id }),
      callers: callers.map(({ principal, count }) => ({ principal, pending: count })),
    };
  }

  async get(id: string): Promise<Approval> {
    const [record, waiting] = await Promise.all([this.#find(id), this.waiting.approvals()]);
    return toApproval(record, Date.now(), waiting);
  }

  /**
   * Returns the arguments of a pending question with only registered secret values hidden, and records the reveal. Only humans
   * can. Rejects with `reveal-unavailable` when the arguments are no longer stored.
   */
  async reveal(id: string, { by }: { readonly by: Principal }): Promise<RevealedArguments> {
    assertHuman(by, 'reveal');
    const approval = toApproval(await this.#pending(id));
    const { callId, tool, session, arguments: shown, hidden } = approval;
    if (!hasRevealableParts(approval)) return { arguments: shown, hidden };
    const revealed = await this.reveals.get(id);
    if (revealed === undefined)
      throw new SignalboxError(
        'reveal-unavailable',
        `the hidden parts of ${id} are no longer stored, or were too long to store; deny it, or approve it with "acknowledgeHidden"`,
      );
    if (!(await this.#hasRevealed(approval, by))) {
      const draft = entryDraft('ApprovalRevealed', { approvalId: id, by }, this.#redactor, {
        call: callId,
        session,
        tool,
      });
      await this.#journal.append(draft, 'power-loss');
    }
    // Values may have been registered since the question was asked.
    const again = hideParts(JSON.stringify(revealed.arguments), this.#redactor, 'registered', JSON.stringify(shown));
    return { arguments: again.arguments, hidden: [...revealed.hidden, ...again.hidden] };
  }

  /** Approves one exact call. Only humans can. */
  async approve(id: string, approving: ApproveOptions): Promise<Approval> {
    return this.#approve(id, approving, async (approval) => {
      if (await this.#hasRevealed(approval, approving.by)) return 'revealed';
      if (approving.acknowledgeHidden === true) return 'acknowledged';
      throw unacknowledgedError(approval);
    });
  }

  /** Approves for a human whose host received the arguments in full; they count as revealed unless `acknowledgeHidden` is set. */
  async approveWithFullArguments(id: string, approving: ApproveOptions): Promise<Approval> {
    return this.#approve(id, approving, async () =>
      approving.acknowledgeHidden === true ? 'acknowledged' : 'revealed',
    );
  }

  async #approve(
    id: string,
    { by, arguments: edited, remember }: ApproveOptions,
    resolveHiddenParts: (approval: Approval) => Promise<NonNullable<ApprovalResolution['hiddenParts']>>,
  ): Promise<Approval> {
    assertHuman(by, 'approve');
    const approval = toApproval(await this.#pending(id));
    if (edited !== undefined) await this.#assertEdit(edited, approval);
    const hiddenParts = hasRevealableParts(approval) ? await resolveHiddenParts(approval) : undefined;
    const appliesToSession = edited === undefined && asksOncePerSession(approval) && (await this.#isAwaited(id));
    const scope = remember ?? (appliesToSession ? 'session' : 'nothing');
    const { rule, notRemembered } = ruleFor(approval, scope, by, edited !== undefined);
    const at = new Date().toISOString();
    const resolution = omitUndefined({ by, at, arguments: edited, rule: rule?.id, notRemembered, hiddenParts });
    return this.#answer(approval, 'approved', resolution, rule);
  }

  /** Returns whether a caller waits for the answer. */
  async #isAwaited(id: string): Promise<boolean> {
    return (await this.waiting.approvals()).has(id);
  }

  /** Denies one exact call. Only humans can. */
  async deny(id: string, { by, reason }: DenyOptions): Promise<Approval> {
    assertHuman(by, 'deny');
    return this.denyBySystem(id, by, reason);
  }

  /** Denies a call without a human, because a question could not be delivered. */
  async denyBySystem(id: string, by: Principal, reason: string | undefined): Promise<Approval> {
    const approval = toApproval(await this.#pending(id));
    const safe = reason && this.#redactor.text(reason).slice(0, 1000).toWellFormed();
    return this.#answer(approval, 'denied', omitUndefined({ by, at: new Date().toISOString(), reason: safe }));
  }

  /** Returns the remembered approvals, oldest first. */
  async rules(): Promise<readonly RememberedRule[]> {
    return (await this.#store.rules()).map(toRule);
  }

  /** Ends a remembered approval: its calls need approval again, including the first one when it has not run. Only humans can. */
  async revoke(rule: string, { by }: { readonly by: Principal }): Promise<void> {
    assertHuman(by, 'revoke');
    const approval = (await this.rules()).find(({ id }) => id === rule)?.approval;
    const draft = entryDraft('RuleRevoked', { rule, by }, this.#redactor);
    if (
      approval === undefined ||
      (await this.#journal.append({ ...draft, approval: { kind: 'revoke', rule, approval } }, 'power-loss')) ===
        undefined
    )
      throw new SignalboxError('rule-unknown', `no remembered rule ${JSON.stringify(rule)} is in force`);
  }

  /** Returns the rule that remembering would create, and the recorded calls that it would have allowed. */
  async preview(id: string, scope: RememberScope, by: Principal): Promise<RememberPreview> {
    const approval = await this.get(id);
    const rule = rememberedRule(approval, scope, by);
    const { principal, server } = approval;
    const records = await this.#store.approvals({ principal: principal.id, server, limit: maxComparedApprovals });
    const matching = records.map((record) => toApproval(record)).filter((asked) => rememberedBy([rule], asked));
    return {
      rule,
      count: matching.length,
      denied: matching.filter(({ state }) => state === 'denied').length,
      examples: matching.slice(0, maxExamples),
    };
  }

  /** Adds a channel to humans; returns a function that removes it. */
  attach(channel: ApprovalChannel): () => void {
    this.#channels.add(channel);
    return () => this.#channels.delete(channel);
  }

  get channels(): ReadonlySet<ApprovalChannel> {
    return this.#channels;
  }

  /** Calls the listener when the caller of a pending question is gone, or waits again; returns a function that ends it. */
  async followCallers(listener: (change: CallerChange) => void): Promise<() => void> {
    return this.waiting.follow(({ waiting, gone }) => {
      for (const id of waiting) listener({ approvalId: id, caller: 'waiting' });
      for (const id of gone) void this.#reportGone(id, listener);
    });
  }

  /** Ignores calls that no longer wait because they were answered. */
  async #reportGone(id: string, listener: (change: CallerChange) => void): Promise<void> {
    const record = await this.#store.approval(id).catch(() => undefined);
    if (record !== undefined && stateOf(record) === 'pending') listener({ approvalId: id, caller: 'gone' });
  }

  /** Calls the listener for every answer that is given through this object. */
  onAnswer(listener: (record: ApprovalRecord) => void): void {
    this.#listeners.add(listener);
  }

  /** Returns the remembered rules that together answer every question about a call; `undefined` when they do not. */
  async remembered(call: Rememberable): Promise<readonly RememberedRule[] | undefined> {
    const rules = await this.#store.rules({ principal: call.principal.id, server: call.server });
    return rememberedBy(rules.map(toRule), call);
  }

  async #answer(
    approval: Approval,
    answer: 'approved' | 'denied',
    resolution: ApprovalResolution,
    rule?: RememberedRule,
  ): Promise<Approval> {
    const { id, callId, tool, session } = approval;
    const { rule: _, at: __, ...recorded } = resolution;
    const stored = { given: this.#redactor.values(JSON.stringify(resolution)), rule: rule && toStoredRule(rule) };
    const remembered = rule && stored.rule && { rule: rule.id, scope: rule.scope, digest: ruleDigest(stored.rule) };
    const digest = answerDigest(id, answer, stored.given, stored.rule);
    const properties = { approvalId: id, decision: answer, ...recorded, remembered, digest };
    const draft: EntryDraft = {
      ...entryDraft('ApprovalResolved', properties, this.#redactor, { call: callId, session, tool }),
      approval: { kind: 'answer', id, at: Date.now(), answer, ...omitUndefined(stored) },
    };
    // An approval is reported before it would survive a power loss: the intent that uses it is written after it and durable before the run.
    let notified: Promise<ApprovalRecord> | undefined;
    const notify = (): void => {
      notified = this.#notify(id);
      notified.catch(() => undefined);
    };
    const written =
      answer === 'approved'
        ? await this.#journal.appendFollowed(draft, notify)
        : await this.#journal.append(draft, 'power-loss');
    if (written === undefined) throw notPendingError(toApproval(await this.#find(id)));
    // If this fails, the stored arguments are removed when the question expires.
    await this.reveals.remove(id).catch(() => undefined);
    return toApproval(await (notified ?? this.#notify(id)));
  }

  async #select({ state = 'open', principal, limit, cursor }: ApprovalPageQuery): Promise<Selected> {
    const now = Date.now();
    const conditions = {
      ...omitUndefined({ principal }),
      // A denial that no caller has received yet is stored for the caller, but is closed for people.
      ...(state === 'all' ? {} : { openAt: now, answers: state === 'open' ? openAnswers : noAnswer }),
    };
    const [records, waiting] = await Promise.all([
      this.#store.approvals({ ...conditions, ...omitUndefined({ after: cursor }), limit: limit + 1 }),
      this.waiting.approvals(),
    ]);
    const page = firstPage(records, limit);
    const items = page.map((record) => toApproval(record, now, waiting));
    return { items, conditions, isLast: page.length === records.length };
  }

  async #hasRevealed({ id, callId }: Approval, by: Principal): Promise<boolean> {
    const query = { type: 'ApprovalRevealed', call: callId, order: 'newest-first', limit: maxReveals } as const;
    const entries = await this.#store.entries(query);
    return entries.map(toEvent).some((event) => {
      if (event.type !== 'ApprovalRevealed' || event.approvalId !== id) return false;
      return event.by.id === by.id && event.by.kind === by.kind;
    });
  }

  async #notify(id: string): Promise<ApprovalRecord> {
    const record = await this.#find(id);
    for (const listener of this.#listeners) listener(record);
    // Processes that miss the notification poll.
    if (this.#store.pubSub.isCrossProcess) this.#store.pubSub.publish(answeredTopic, id).catch(() => undefined);
    return record;
  }

  async #find(id: string): Promise<ApprovalRecord> {
    const record = await this.#store.approval(id);
    if (record === undefined) throw new SignalboxError('approval-unknown', 'there is no approval with this id');
    return record;
  }

  async #pending(id: string): Promise<ApprovalRecord> {
    const record = await this.#find(id);
    const approval = toApproval(record);
    if (approval.state !== 'pending') throw notPendingError(approval);
    return record;
  }

  /** Rejects an invalid edit. Answers are stored until the call reads them, so they must not contain a secret. */
  async #assertEdit(edited: JsonObject, approval: Approval): Promise<void> {
    const { tool, definitionHash, arguments: shown, givenArguments = shown } = approval;
    const inspection = inspectJson(edited, maxEditLength);
    if (!isJsonObject(edited) || !inspection.ok) {
      const why = inspection.ok ? 'expected an object' : `${inspection.problem} (at ${inspection.path})`;
      throw new SignalboxError('edit-invalid', `the edited arguments are not a JSON object: ${why}`);
    }
    assertRestorable(edited, approval, this.#redactor);
    const known = this.#catalog?.find(tool);
    if (known?.definition.definitionHash !== definitionHash) return;
    const problem = await editProblem(known, edited, { received: shown, given: givenArguments });
    if (problem !== undefined)
      throw new SignalboxError('edit-invalid', `the edited arguments cannot run as they are: ${problem}`);
  }
}

interface Selected {
  readonly items: readonly Approval[];
  readonly conditions: Omit<ApprovalQuery, 'limit' | 'after'>;
  readonly isLast: boolean;
}

const noAnswer = [''] as const;
const openAnswers = ['', 'approved'] as const;
const maxReveals = 1000;

/** Returns whether a hidden part only looks like a secret, so that a human may need to see it. */
function hasRevealableParts({ hidden }: Pick<Approval, 'hidden'>): boolean {
  return hidden.some(({ kind }) => kind !== 'registered');
}

function unacknowledgedError({ id, hidden }: Approval): SignalboxError {
  const locations = hidden
    .filter(({ kind }) => kind !== 'registered')
    .map(({ path, length }) => `${length} characters at ${path}`);
  const more = locations.length > 5 ? ` and ${locations.length - 5} more` : '';
  return new SignalboxError(
    'hidden-unacknowledged',
    `${id} hides parts of its arguments that are not registered secrets (${locations.slice(0, 5).join(', ')}${more}); ` +
      `reveal them first, or approve with "acknowledgeHidden": true`,
  );
}

/** Returns the rule that remembers an approval, or the reason why a requested one cannot be created. The approval itself is unaffected. */
function ruleFor(
  approval: Approval,
  scope: RememberScope | 'nothing',
  by: Principal,
  isEdited: boolean,
): { readonly rule?: RememberedRule; readonly notRemembered?: string } {
  if (scope === 'nothing') return {};
  // The rule would allow the arguments that the human has just changed.
  if (isEdited) return { notRemembered: 'an approval with edited arguments cannot be remembered' };
  try {
    return { rule: rememberedRule(approval, scope, by) };
  } catch (error) {
    if (!(error instanceof SignalboxError && error.code === 'remember-refused')) throw error;
    return { notRemembered: error.message };
  }
}

/**
 * Returns whether an approval also applies to later calls of the tool in the session, as in the default policy: "undoable writes ask once".
 * When the caller is gone, it applies only to this exact call, because nobody sees it run.
 */
function asksOncePerSession({ decision, session }: Approval): boolean {
  return decision.rule === askOncePerSessionRule && session !== undefined;
}

function assertHuman({ kind, id }: Principal, what: string): void {
  if (kind === 'human') return;
  throw new SignalboxError(
    'approver-refused',
    `only humans can ${what}, and ${JSON.stringify(id)} is not one (${kind})`,
  );
}

function notPendingError({ id, state, answer }: Approval): SignalboxError {
  if (answer === undefined)
    return new SignalboxError('approval-expired', `${id} has expired; when the call is made again, it asks again`);
  const verb = state === 'denied' ? 'denied' : 'approved';
  return new SignalboxError(
    'approval-answered',
    `${id} was already ${verb} by ${principalName(answer.by)} at ${answer.at}`,
  );
}
