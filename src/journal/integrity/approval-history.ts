import { isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { CarriedAnswer, CarriedApproval, CarriedRule } from '../entries/journal-event.ts';
import type { ApprovalRecord, ApprovalStore, StoredRule } from '../store/approval-store.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import { type JournalFault, digestOf } from './hash-chain.ts';

/** Returns the digest of a stored question for its entry. */
export function requestDigest(record: ApprovalRecord): string {
  const { id, binding, subject, principal, server, requestedAt, expiresAt, asked } = record;
  return digestOf([id, binding, subject, principal, server, requestedAt, expiresAt, asked]);
}

/** Returns the digest of a stored answer, and of the rule that remembers it, for its entry. */
export function answerDigest(id: string, answer: string, given: string, rule: StoredRule | undefined): string {
  return digestOf([id, answer, given, rule === undefined ? null : [rule.id, rule.principal, rule.server, rule.text]]);
}

/** Returns the digest of a stored rule for the entry of the answer that it remembers. */
export function ruleDigest({ id, principal, server, text }: StoredRule): string {
  return digestOf([id, principal, server, text]);
}

type Body = Readonly<Record<string, unknown>>;

interface Asked {
  readonly seq: number;
  readonly digest: string | undefined;
  readonly expiresAt: number;
}

interface Remembered {
  readonly seq: number;
  readonly digest: string | undefined;
}

/** The approvals and rules of pruned entries. */
export interface Carried {
  readonly approvals: readonly CarriedApproval[];
  readonly rules: readonly CarriedRule[];
}

const maxRecords = 1_000_000;

/** Collects the approvals in the entries of a journal, and compares the stored approvals and remembered rules with them. */
export class ApprovalHistory {
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, CarriedAnswer>();
  readonly #usedBy = new Map<string, string>();
  readonly #rules = new Map<string, Remembered>();
  readonly #revoked = new Set<string>();
  #hasCarried = false;

  /** Whether an entry accounts for approvals whose entries were pruned. */
  get hasCarried(): boolean {
    return this.#hasCarried;
  }

  /** Adds the next entry. */
  add({ type, seq, call, body }: StoredEntry): void {
    if (type === 'ApprovalRequested') this.#addRequest(seq, read(body));
    else if (type === 'ApprovalResolved') this.#addAnswer(seq, read(body));
    else if (type === 'RuleRevoked') this.#revoked.add(String(read(body)['rule']));
    else if (type === 'AuthorityChanged' && body.includes('"approvals"'))
      this.#addCarried(seq, JSON.parse(body) as Partial<Carried>);
    else if (type === 'CallStarted' && body.includes('"approvalId"')) {
      const { approvalId } = read(body);
      if (typeof approvalId === 'string') this.#usedBy.set(approvalId, call);
    }
  }

  #addRequest(seq: number, { approvalId, digest, expiresAt }: Body): void {
    if (typeof approvalId === 'string')
      this.#asked.set(approvalId, { seq, digest: textOf(digest), expiresAt: Date.parse(String(expiresAt)) });
  }

  #addAnswer(seq: number, { approvalId, decision, digest, remembered }: Body): void {
    const { rule, digest: ofRule }: Body = isJsonObject(remembered) ? remembered : {};
    const answer = { decision: String(decision), digest: textOf(digest), rule: textOf(rule) };
    this.#answers.set(String(approvalId), omitUndefined(answer));
    if (typeof rule === 'string') this.#rules.set(rule, { seq, digest: textOf(ofRule) });
  }

  /** Adds what is known of pruned entries. Each part has one entry, so several runs of pruning never contradict each other. */
  #addCarried(seq: number, { approvals, rules = [] }: Partial<Carried>): void {
    if (approvals === undefined) return;
    this.#hasCarried = true;
    for (const { id, digest, expiresAt, answer, usedBy } of approvals) {
      if (expiresAt !== undefined && !this.#asked.has(id)) this.#asked.set(id, { seq, digest, expiresAt });
      if (answer !== undefined && !this.#answers.has(id)) this.#answers.set(id, answer);
      if (usedBy !== undefined) this.#usedBy.set(id, usedBy);
    }
    for (const { id, digest, isRevoked } of rules) {
      if (isRevoked === true) this.#revoked.add(id);
      else if (!this.#rules.has(id)) this.#rules.set(id, { seq, digest });
    }
  }

  /** Returns what has to be carried over when the added entries are pruned. Used and expired approvals are pruned with them. */
  carried(now = Date.now()): Carried {
    const ids = new Set([...this.#asked.keys(), ...this.#answers.keys(), ...this.#usedBy.keys()]);
    const approvals = [...ids].flatMap((id): CarriedApproval[] => {
      const [asked, answer, usedBy] = [this.#asked.get(id), this.#answers.get(id), this.#usedBy.get(id)];
      if (asked !== undefined && (usedBy !== undefined || asked.expiresAt <= now)) return [];
      return [{ id, ...omitUndefined({ digest: asked?.digest, expiresAt: asked?.expiresAt, answer, usedBy }) }];
    });
    const rules = [...new Set([...this.#rules.keys(), ...this.#revoked])].map((id): CarriedRule =>
      this.#revoked.has(id)
        ? { id, isRevoked: true }
        : { id, ...omitUndefined({ digest: this.#rules.get(id)?.digest }) },
    );
    return { approvals, rules };
  }

  /** Returns the stored approvals and rules until a time that have no entry, because an earlier version pruned it. */
  async unaccounted(store: Pick<ApprovalStore, 'approvals' | 'rules'>, until: number): Promise<Carried> {
    const [records, rules] = [await store.approvals({ limit: maxRecords }), await store.rules()];
    return {
      approvals: records
        .filter(({ id, requestedAt }) => !this.#asked.has(id) && requestedAt <= until)
        .map((record) => ({
          id: record.id,
          digest: requestDigest(record),
          expiresAt: record.expiresAt,
          ...(record.answer === '' ? {} : { answer: { decision: record.answer } }),
          ...(record.usedBy === '' ? {} : { usedBy: record.usedBy }),
        })),
      rules: rules
        .filter(({ id, text }) => !this.#rules.has(id) && Date.parse(String(read(text)['at'])) <= until)
        .map((rule) => ({ id: rule.id, digest: ruleDigest(rule) })),
    };
  }

  /** Compares the stored approvals and rules with the entries. */
  async check(store: Pick<ApprovalStore, 'approvals' | 'rules'>, head: number): Promise<JournalFault | undefined> {
    const records = await store.approvals({ limit: maxRecords });
    const rules = new Map((await store.rules()).map((rule) => [rule.id, rule]));
    const stored = new Set<string>();
    for (const record of records) {
      stored.add(record.id);
      const problem = this.problemOf(record, rules);
      if (problem !== undefined) return { seq: this.#asked.get(record.id)?.seq ?? head, problem };
    }
    const now = Date.now();
    for (const [id, { seq, expiresAt }] of this.#asked) {
      const isOver = expiresAt <= now || this.#usedBy.has(id) || this.#answers.get(id)?.decision === 'denied';
      if (!stored.has(id) && !isOver) return { seq, problem: `the approval requested by entry ${seq} was removed` };
    }
    return this.#checkRules(rules, head);
  }

  hasAsked(id: string): boolean {
    return this.#asked.has(id);
  }

  /** Returns the rule that the recorded answer of an approval created. */
  ruleOf(id: string): string | undefined {
    return this.#answers.get(id)?.rule;
  }

  /** Returns how a stored approval differs from the entries; `undefined` when it does not. */
  problemOf(record: ApprovalRecord, rules: ReadonlyMap<string, StoredRule>): string | undefined {
    const asked = this.#asked.get(record.id);
    if (asked === undefined) return `${describe(record)} has no journal entry: it was forged`;
    const wrong = this.#differs(record, asked, rules);
    return wrong === undefined ? undefined : `${describe(record)} was changed: ${wrong}`;
  }

  #differs(record: ApprovalRecord, asked: Asked, rules: ReadonlyMap<string, StoredRule>): string | undefined {
    if (asked.digest !== undefined && asked.digest !== requestDigest(record))
      return 'the question differs from the recorded one';
    const [answered, usedBy] = [this.#answers.get(record.id), this.#usedBy.get(record.id)];
    if (record.answer !== (answered?.decision ?? '')) return `its answer is not the recorded one`;
    if (usedBy !== undefined && !record.closed) return `a call has used it, and it is open again`;
    if (record.usedBy !== '' && record.usedBy !== usedBy) return `the call that used it is not the recorded one`;
    if (answered?.digest === undefined) return undefined;
    const { rule } = answered;
    if (rule !== undefined && this.#revoked.has(rule) && !record.closed)
      return 'the rule that it created was revoked, and it is open again';
    // A revoked rule is no longer listed, and the digest cannot be computed without it.
    if (rule !== undefined && !rules.has(rule)) return undefined;
    const digest = answerDigest(record.id, record.answer, record.given, rules.get(String(rule)));
    return answered.digest === digest ? undefined : 'the approver or the answer differs from the recorded one';
  }

  #checkRules(rules: ReadonlyMap<string, StoredRule>, head: number): JournalFault | undefined {
    for (const [id, rule] of rules) {
      if (this.#revoked.has(id))
        return { seq: head, problem: `the remembered rule ${id} was revoked, and is in force again` };
      const known = this.#rules.get(id);
      if (known === undefined)
        return { seq: head, problem: `the remembered rule ${id} has no journal entry: it was forged` };
      if (known.digest !== undefined && known.digest !== ruleDigest(rule))
        return { seq: known.seq, problem: `the remembered rule ${id} was changed: it differs from its entry` };
    }
    for (const [id, { seq }] of this.#rules)
      if (!this.#revoked.has(id) && !rules.has(id))
        return { seq, problem: `the remembered rule ${id} was removed without an entry` };
    return undefined;
  }
}

function describe({ id, requestedAt }: ApprovalRecord): string {
  // The complete id would let a reader of this message answer the approval.
  return `the approval ${id.slice(0, 12)}… of ${new Date(requestedAt).toISOString()}`;
}

function read(body: string): Body {
  try {
    const parsed: unknown = JSON.parse(body);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
