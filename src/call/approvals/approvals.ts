import type { Catalog } from '../../catalog/catalog.ts';
import type { ApprovalRecord, StoredRule } from '../../journal/approval-store.ts';
import type { EntryDraft } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../journal/redaction.ts';
import type { Store } from '../../journal/store.ts';
import type { Approval, ApprovalChannel, GivenAnswer, RememberScope, RememberedRule } from '../../model/approval.ts';
import type { Principal } from '../../model/call.ts';
import { SignalboxError } from '../../model/errors.ts';
import { type JsonObject, inspectJson, isJsonObject } from '../../model/json.ts';
import { asksOnce } from '../../policy/default-policy.ts';
import { toApproval } from './approval-view.ts';
import { restoreRedacted } from './edited-arguments.ts';
import { editProblem } from './edit-problem.ts';
import { type Rememberable, type RememberPreview, rememberedBy, rememberedRule } from './remembered.ts';

/** How a human says yes. */
export interface Approving {
  readonly by: Principal;
  /** Runs the tool with these in the place of the arguments that were asked about. */
  readonly arguments?: JsonObject;
  /** Also answers later calls; `nothing` where the default policy would remember by itself. */
  readonly remember?: RememberScope | 'nothing';
}

/** How a human says no. */
export interface Denying {
  readonly by: Principal;
  readonly reason?: string;
}

interface Answer {
  readonly answer: 'approved' | 'denied';
  readonly given: GivenAnswer;
  readonly rule?: RememberedRule;
}

/** Notes of answers, each with the id of its approval. */
export const answeredTopic = 'approval-answered';

const mostExamples = 5;
const mostCompared = 10_000;
const largestEdit = 1024 * 1024;

/** The inbox: what waits for a human, and how humans answer. The first answer wins. */
export class Approvals {
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #redactor: Redactor;
  readonly #catalog: Pick<Catalog, 'find'> | undefined;
  readonly #listeners = new Set<(record: ApprovalRecord) => void>();
  readonly #channels = new Set<ApprovalChannel>();

  /** With a catalog, edited arguments are checked when they are approved; they are again when they run. */
  constructor(store: Store, journal: Journal, redactor: Redactor, catalog?: Pick<Catalog, 'find'>) {
    this.#catalog = catalog;
    this.#store = store;
    this.#journal = journal;
    this.#redactor = redactor;
  }

  /** What can still be answered or used, newest first; with `all`, also what is over. */
  async list({ all = false, limit = 100 }: { all?: boolean; limit?: number } = {}): Promise<readonly Approval[]> {
    const now = Date.now();
    const records = await this.#store.approvals(all ? { limit } : { limit, openAt: now });
    // A refusal that nobody was told of yet is still kept for the caller; for people it is over.
    return records.map((record) => toApproval(record, now)).filter(({ state }) => all || state !== 'denied');
  }

  async get(id: string): Promise<Approval> {
    return toApproval(await this.#find(id));
  }

  /** Says yes to one exact call. Only humans can. */
  async approve(id: string, { by, arguments: edited, remember }: Approving): Promise<Approval> {
    assertHuman(by, 'approve');
    const approval = toApproval(await this.#pending(id));
    const scope = remember ?? (edited === undefined ? usualScope(approval) : 'nothing');
    // It would let through what was just edited away.
    if (edited !== undefined && scope !== 'nothing')
      throw new SignalboxError(
        'remember-refused',
        'an approval with edited arguments cannot be remembered; approve without the one or the other',
      );
    if (edited !== undefined) await this.#assertEdit(edited, approval);
    const rule = scope === 'nothing' ? undefined : rememberedRule(approval, scope, by);
    const given = {
      by,
      at: new Date().toISOString(),
      ...(edited === undefined ? {} : { arguments: edited }),
      ...(rule === undefined ? {} : { rule: rule.id }),
    };
    return this.#answer(approval, { answer: 'approved', given, ...(rule === undefined ? {} : { rule }) });
  }

  /** Says no to one exact call. Only humans can. */
  async deny(id: string, { by, reason }: Denying): Promise<Approval> {
    assertHuman(by, 'deny');
    return this.refuse(id, by, reason);
  }

  /** A no that does not come from a human: whoever should have been asked could not be. */
  async refuse(id: string, by: Principal, reason: string | undefined): Promise<Approval> {
    const approval = toApproval(await this.#pending(id));
    const safe = reason === undefined ? {} : { reason: this.#redactor.text(reason).slice(0, 1000).toWellFormed() };
    return this.#answer(approval, { answer: 'denied', given: { by, at: new Date().toISOString(), ...safe } });
  }

  /** The remembered approvals, oldest first. */
  async rules(): Promise<readonly RememberedRule[]> {
    return (await this.#store.rules()).map(toRule);
  }

  /** Ends a remembered approval: its calls ask again, also the one it was made with if that did not run. Only humans can. */
  async revoke(rule: string, { by }: { readonly by: Principal }): Promise<void> {
    assertHuman(by, 'revoke');
    const approval = (await this.rules()).find(({ id }) => id === rule)?.approval;
    const body = this.#redactor.json(JSON.stringify({ rule, by }));
    const draft: EntryDraft = { ...nothing, type: 'RuleRevoked', at: Date.now(), body };
    if (
      approval === undefined ||
      (await this.#journal.append({ ...draft, approval: { kind: 'revoke', rule, approval } }, 'power-loss')) ===
        undefined
    )
      throw new SignalboxError('rule-unknown', `no remembered rule ${JSON.stringify(rule)} is in force`);
  }

  /** The rule that remembering would make, and the calls on record that it would have let through. */
  async preview(id: string, scope: RememberScope, by: Principal): Promise<RememberPreview> {
    const approval = await this.get(id);
    const rule = rememberedRule(approval, scope, by);
    const { principal, server } = approval;
    const records = await this.#store.approvals({ principal: principal.id, server, limit: mostCompared });
    const matching = records.map((record) => toApproval(record)).filter((asked) => rememberedBy([rule], asked));
    return {
      rule,
      count: matching.length,
      denied: matching.filter(({ state }) => state === 'denied').length,
      examples: matching.slice(0, mostExamples),
    };
  }

  /** Adds a way to reach a human; returns how to take it away. */
  attach(channel: ApprovalChannel): () => void {
    this.#channels.add(channel);
    return () => this.#channels.delete(channel);
  }

  get channels(): ReadonlySet<ApprovalChannel> {
    return this.#channels;
  }

  /** Tells of every answer that was given through this object. */
  onAnswer(listener: (record: ApprovalRecord) => void): void {
    this.#listeners.add(listener);
  }

  /** The remembered rules that answer all that is asked of a call, if they do. */
  async remembered(call: Rememberable): Promise<readonly RememberedRule[] | undefined> {
    const rules = await this.#store.rules({ principal: call.principal.id, server: call.server });
    return rememberedBy(rules.map(toRule), call);
  }

  async #answer(approval: Approval, { answer, given, rule }: Answer): Promise<Approval> {
    const { id, callId, tool, session } = approval;
    const { rule: _, at: __, ...told } = given;
    const remembered = rule === undefined ? {} : { remembered: { rule: rule.id, scope: rule.scope } };
    const draft: EntryDraft = {
      type: 'ApprovalResolved',
      at: Date.now(),
      call: callId,
      session: session ?? '',
      tool,
      outcome: '',
      body: this.#redactor.json(JSON.stringify({ approvalId: id, decision: answer, ...told, ...remembered })),
      approval: {
        kind: 'answer',
        id,
        at: Date.now(),
        answer,
        given: this.#redactor.values(JSON.stringify(given)),
        ...(rule === undefined ? {} : { rule: storedRule(rule) }),
      },
    };
    // A yes is told before it survives a loss of power: the intent that uses it is written after it, and does before anything runs.
    const isYes = answer === 'approved';
    let telling: Promise<ApprovalRecord> | undefined;
    const tell = (): void => {
      telling = this.#tell(id);
      telling.catch(() => undefined);
    };
    const written = isYes
      ? await this.#journal.appendFollowed(draft, tell)
      : await this.#journal.append(draft, 'power-loss');
    if (written === undefined) throw tooLate(toApproval(await this.#find(id)));
    return toApproval(await (telling ?? this.#tell(id)));
  }

  async #tell(id: string): Promise<ApprovalRecord> {
    const record = await this.#find(id);
    for (const listener of this.#listeners) listener(record);
    // Processes that miss it look now and then.
    if (this.#store.post.reachesOthers) this.#store.post.send(answeredTopic, id).catch(() => undefined);
    return record;
  }

  async #find(id: string): Promise<ApprovalRecord> {
    const record = await this.#store.approval(id);
    if (record === undefined) throw new SignalboxError('approval-unknown', 'there is no approval of that id');
    return record;
  }

  async #pending(id: string): Promise<ApprovalRecord> {
    const record = await this.#find(id);
    const approval = toApproval(record);
    if (approval.state !== 'pending') throw tooLate(approval);
    return record;
  }

  /** Answers are kept until the call comes for them, so a secret must not be in one. */
  async #assertEdit(edited: JsonObject, approval: Approval): Promise<void> {
    const { tool, definitionHash, arguments: shown, givenArguments = shown } = approval;
    const inspection = inspectJson(edited, largestEdit);
    if (!isJsonObject(edited) || !inspection.ok) {
      const why = inspection.ok ? 'an object is needed' : `${inspection.problem} (at ${inspection.path})`;
      throw new SignalboxError('edit-invalid', `the edited arguments are not a JSON object: ${why}`);
    }
    restoreRedacted(edited, shown, shown);
    const text = JSON.stringify(edited);
    if (this.#redactor.json(text) !== text) {
      throw new SignalboxError(
        'edit-invalid',
        'the edited arguments hold what looks like a secret, which is never written down; leave redacted values as they are, or deny the call',
      );
    }
    const known = this.#catalog?.find(tool);
    if (known?.definition.definitionHash !== definitionHash) return;
    const problem = await editProblem(known, edited, { received: shown, given: givenArguments });
    if (problem !== undefined)
      throw new SignalboxError('edit-invalid', `the edited arguments cannot run as they are: ${problem}`);
  }
}

const nothing = { call: '', session: '', tool: '', outcome: '' } as const;

/** "Undoable writes ask once": a yes to the default policy holds for the tool and the rest of the session. */
function usualScope({ decision, session }: Approval): RememberScope | 'nothing' {
  return decision.rule === asksOnce && session !== undefined ? 'session' : 'nothing';
}

function assertHuman({ kind, id }: Principal, what: string): void {
  if (kind === 'human') return;
  throw new SignalboxError(
    'approver-refused',
    `only humans can ${what}, and ${JSON.stringify(id)} is not one (${kind})`,
  );
}

function tooLate({ id, state, answer }: Approval): SignalboxError {
  if (answer === undefined)
    return new SignalboxError('approval-expired', `${id} has expired; when the call is made again, it asks again`);
  const how = state === 'denied' ? 'denied' : 'approved';
  return new SignalboxError('approval-answered', `${id} was already ${how} by ${answer.by.id} at ${answer.at}`);
}

function toRule({ text }: StoredRule): RememberedRule {
  return JSON.parse(text) as RememberedRule;
}

function storedRule(rule: RememberedRule): StoredRule {
  return { id: rule.id, principal: rule.principal.id, server: rule.server, text: JSON.stringify(rule) };
}
