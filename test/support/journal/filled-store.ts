import type { ApprovalRecord } from '../../../src/journal/store/approval-store.ts';
import type { EntryDraft } from '../../../src/journal/entries/stored-entry.ts';
import { neverExpires } from '../../../src/journal/store/key-value-store.ts';
import type { Store } from '../../../src/journal/store/store.ts';
import { seedJournal } from './seed-journal.ts';

const human = { id: 'ann', kind: 'human' } as const;
/** The time of all records except calls. */
const filledAt = 1_000_000;

/** Fills every table of a store, including edge cases. Calls are spread over the week before `until`. */
export async function fillStore(
  store: Store,
  options: { readonly calls: number; readonly until?: number },
): Promise<void> {
  const defaults: EntryDraft = {
    type: 'ToolInvoked',
    at: filledAt,
    call: 'call_1',
    session: '',
    tool: 'mcp__a__b',
    outcome: 'completed',
    body: '{}',
  };
  const entry = async (more: Partial<EntryDraft>): Promise<void> =>
    void (await store.append([{ ...defaults, ...more }]));
  await entry({ type: 'CallStarted', outcome: '', call: 'keyed', claim: { key: 'key', fingerprint: 'f' } });
  await entry({ call: 'keyed', settle: { key: 'key', outcome: '{"a":1}' }, recording: '{"content":"\\u0000é"}' });
  await entry({ type: 'CallStarted', outcome: '', call: 'keyed too', claim: { key: 'unsettled', fingerprint: 'g' } });
  await entry({ call: 'keyed too', outcome: 'failed' });
  await store.storeResult({ id: 'large', owner: 'bot', mimeType: 'text/plain', text: 'é\0"😀\n'.repeat(60_000) });

  const approvalRecord = (more: Partial<ApprovalRecord>): ApprovalRecord => ({
    id: 'appr_1',
    binding: 'b',
    subject: 's',
    principal: 'bot',
    server: 'bank',
    requestedAt: filledAt,
    expiresAt: filledAt + 10,
    asked: '{"tool":"é😀"}',
    answer: '',
    given: '',
    closed: false,
    usedBy: '',
    ...more,
  });
  const requestApproval = (more: Partial<ApprovalRecord>): Promise<unknown> => {
    const record = approvalRecord(more);
    const body = JSON.stringify({ approvalId: record.id, expiresAt: new Date(record.expiresAt).toISOString() });
    return entry({ type: 'ApprovalRequested', outcome: '', body, approval: { kind: 'ask', record } });
  };
  await requestApproval({});
  // The first has expired but was not closed.
  await requestApproval({ id: 'appr_2', requestedAt: filledAt + 20, expiresAt: 9e12 });
  await requestApproval({ id: 'appr_3', binding: 'c', expiresAt: 9e12 });
  const rule = { id: 'rule_1', principal: 'bot', server: 'bank', text: '{"scope":"tool"}' };
  await entry({
    type: 'ApprovalResolved',
    outcome: '',
    body: JSON.stringify({ approvalId: 'appr_3', decision: 'approved', remembered: { rule: rule.id } }),
    approval: { kind: 'answer', id: 'appr_3', at: filledAt, answer: 'approved', given: '{}', rule },
  });
  await entry({
    type: 'CallStarted',
    outcome: '',
    call: 'approved',
    body: '{"approvalId":"appr_3"}',
    approval: { kind: 'use', id: 'appr_3', at: filledAt },
  });
  await entry({ call: 'approved' });

  const token = {
    id: 'tok_1',
    hash: 'ab'.repeat(32),
    role: 'agent',
    profile: '',
    name: 'é"',
    createdAt: filledAt,
  } as const;
  const record = { ...token, expiresAt: 0, lastUsedAt: 5, revokedAt: 0 };
  await entry({ type: 'TokenCreated', outcome: '', token: { kind: 'create', record } });

  const session = {
    id: 's1',
    agent: 'demo',
    runtime: 'model',
    model: '',
    title: 'a\\b{"',
    cwd: '/home',
    permissionMode: 'default',
  } as const;
  await store.sessions.create({ ...session, owner: human, createdAt: 1, activeAt: 2, forkedFrom: '', lastTurn: '' });
  const events = Array.from({ length: 2500 }, (_, index) => JSON.stringify({ text: `\0event ${index}` }));
  await store.sessions.write([{ session: 's1', at: 3, events, memory: '{"a":[1,"é"]}', begins: true }]);
  for (const id of ['turn_1', 'turn_2'])
    await store.sessions.queue({
      id,
      session: 's1',
      content: `do ${id}`,
      by: human,
      at: 4,
      title: 't',
      maxWaiting: 9,
      key: `"${id}`,
    });
  await store.sessions.claim('s1');

  const job = { id: 'job_1', owner: '{}', ownerId: 'ann', text: '{"cron":"* * * * *"}', createdAt: 1, nextAt: 9e12 };
  await store.jobs.add({ ...job, lastAt: 0, lastSession: '', lastError: '' }, 9);
  await store.keyValues.put('cookie', 'name', { text: '{"accepted":"é😀"}', until: neverExpires });
  await seedJournal(store, options);
  await entry({ type: 'CallStarted', outcome: '', call: 'open', at: options.until ?? Date.now() });
}
