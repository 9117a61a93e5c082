import { isJsonObject } from '../../core/json/json.ts';
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

type Body = Readonly<Record<string, unknown>>;

interface Asked {
  readonly seq: number;
  readonly digest: unknown;
  readonly expiresAt: number;
  answered?: { readonly decision: unknown; readonly digest: unknown; readonly rule: unknown };
  usedBy?: string;
}

const maxRecords = 1_000_000;

/** Collects the approvals in the entries of a journal, and compares the stored approvals and remembered rules with them. */
export class ApprovalHistory {
  readonly #asked = new Map<string, Asked>();
  /** The approval that created each rule. */
  readonly #rules = new Map<string, string>();
  readonly #revoked = new Set<string>();

  /** Adds the next entry. */
  add({ type, seq, call, body }: StoredEntry): void {
    if (type === 'ApprovalRequested') this.#addRequest(seq, read(body));
    else if (type === 'ApprovalResolved') this.#addAnswer(read(body));
    else if (type === 'RuleRevoked') this.#revoked.add(String(read(body)['rule']));
    else if (type === 'CallStarted' && body.includes('"approvalId"')) {
      const asked = this.#asked.get(String(read(body)['approvalId']));
      if (asked !== undefined) asked.usedBy = call;
    }
  }

  #addRequest(seq: number, { approvalId, digest, expiresAt }: Body): void {
    if (typeof approvalId === 'string')
      this.#asked.set(approvalId, { seq, digest, expiresAt: Date.parse(String(expiresAt)) });
  }

  #addAnswer({ approvalId, decision, digest, remembered }: Body): void {
    const rule = isJsonObject(remembered) ? remembered['rule'] : undefined;
    const asked = this.#asked.get(String(approvalId));
    if (asked !== undefined) asked.answered = { decision, digest, rule };
    if (typeof rule === 'string') this.#rules.set(rule, String(approvalId));
  }

  /**
   * Compares the stored approvals and rules with the entries. Skips questions asked until `prunedAt`, because their entries may be pruned.
   */
  async check(
    store: Pick<ApprovalStore, 'approvals' | 'rules'>,
    prunedAt: number,
    head: number,
  ): Promise<JournalFault | undefined> {
    const records = await store.approvals({ limit: maxRecords });
    const rules = new Map((await store.rules()).map((rule) => [rule.id, rule]));
    const stored = new Set<string>();
    for (const record of records) {
      stored.add(record.id);
      const asked = this.#asked.get(record.id);
      if (asked === undefined) {
        if (record.requestedAt > prunedAt)
          return { seq: head, problem: `${describe(record)} has no journal entry: it was forged` };
        continue;
      }
      const wrong = this.#differs(record, asked, rules);
      if (wrong !== undefined) return { seq: asked.seq, problem: `${describe(record)} was changed: ${wrong}` };
    }
    const now = Date.now();
    for (const [id, { seq, expiresAt, usedBy, answered }] of this.#asked)
      if (!stored.has(id) && expiresAt > now && usedBy === undefined && answered?.decision !== 'denied')
        return { seq, problem: `the approval requested by entry ${seq} was removed` };
    return this.#checkRules([...rules.values()], prunedAt, head);
  }

  #differs(record: ApprovalRecord, asked: Asked, rules: ReadonlyMap<string, StoredRule>): string | undefined {
    if (typeof asked.digest === 'string' && asked.digest !== requestDigest(record))
      return 'the question differs from the recorded one';
    const { answered, usedBy } = asked;
    if (record.answer !== (answered?.decision ?? '')) return `its answer is not the recorded one`;
    if (usedBy !== undefined && !record.closed) return `a call has used it, and it is open again`;
    if (record.usedBy !== '' && record.usedBy !== usedBy) return `the call that used it is not the recorded one`;
    if (answered === undefined || typeof answered.digest !== 'string') return undefined;
    const { rule } = answered;
    // A revoked rule is no longer listed, and the digest cannot be computed without it.
    if (typeof rule === 'string' && !rules.has(rule)) return undefined;
    const digest = answerDigest(record.id, record.answer, record.given, rules.get(String(rule)));
    return answered.digest === digest ? undefined : 'the approver or the answer differs from the recorded one';
  }

  #checkRules(rules: readonly StoredRule[], prunedAt: number, head: number): JournalFault | undefined {
    for (const { id, text } of rules) {
      if (this.#revoked.has(id))
        return { seq: head, problem: `the remembered rule ${id} was revoked, and is in force again` };
      const at = Date.parse(String(read(text)['at']));
      if (!this.#rules.has(id) && !(at <= prunedAt))
        return { seq: head, problem: `the remembered rule ${id} has no journal entry: it was forged` };
    }
    for (const [id, approval] of this.#rules)
      if (!this.#revoked.has(id) && !rules.some((rule) => rule.id === id))
        return {
          seq: this.#asked.get(approval)?.seq ?? head,
          problem: `the remembered rule ${id} was removed without an entry`,
        };
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
