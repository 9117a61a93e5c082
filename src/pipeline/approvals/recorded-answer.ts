import { ApprovalHistory } from '../../journal/integrity/approval-history.ts';
import { entriesOf } from '../../journal/integrity/carried-approvals.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { Store } from '../../journal/store/store.ts';
import { parseAnswer, parseQuestion } from './approval-view.ts';

/** The entries of a waiting call: its question, its reveals and its answer. */
const maxEntries = 1000;

/** Returns whether the journal has this question and this answer, so that a row that was written into the database admits no call. */
export async function isRecordedApproval(
  store: Pick<Store, 'entries' | 'beginning' | 'rules'>,
  record: ApprovalRecord,
): Promise<boolean> {
  const history = new ApprovalHistory();
  const { callId } = parseQuestion(record);
  // Whether another call has used it is decided by the write that uses it.
  for (const entry of await store.entries({ call: callId, order: 'oldest-first', limit: maxEntries }))
    if (entry.type !== 'CallStarted') history.add(entry);
  if (!history.hasAsked(record.id) && (await store.beginning()).seq > 0)
    for await (const entry of entriesOf(store, 'AuthorityChanged')) history.add(entry);
  const { rule, arguments: edited } = parseAnswer(record);
  // Edited arguments are never remembered. The rule of an answer may be revoked, and its digest is not compared then.
  if (rule !== history.ruleOf(record.id) || (rule !== undefined && edited !== undefined)) return false;
  const rules = rule === undefined ? [] : await store.rules({ principal: record.principal });
  const unused = { ...record, closed: false, usedBy: '' };
  return history.problemOf(unused, new Map(rules.map((each) => [each.id, each]))) === undefined;
}
