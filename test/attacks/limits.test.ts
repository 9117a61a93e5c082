import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, after, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { journalSealer } from '../../src/config/secrets/journal-key.ts';
import type { Store } from '../../src/journal/store/store.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { fingerprintsOf } from '../../src/policy/facts/fingerprints.ts';
import type { Signalbox } from '../../src/signalbox/signalbox.ts';
import { createSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { defineTool } from '../../src/sources/local/define-tool.ts';
import { localServer } from '../../src/sources/local/local-server.ts';
import { copyStore } from '../../src/store/copy/copy-store.ts';
import { openPostgresTarget } from '../../src/store/postgres/copy-target.ts';
import { postgresStore } from '../../src/store/postgres/postgres-store.ts';
import { backUpSqlite } from '../../src/store/sqlite/backup.ts';
import { openSqliteSource } from '../../src/store/sqlite/copy-source.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { CliProject, notesProject } from '../e2e/cli-project.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const rules: readonly JsonObject[] = [
  { id: 'purse', budget: { match: 'mcp__shop__pay', cost: 100, each: 'args.amount', by: 'principal', per: '1d' } },
  { id: 'calm', rateLimit: { match: 'mcp__shop__look', per: '1h', max: 7, by: 'principal' } },
  { id: 'leak', flow: { from: ['private'], to: ['external'] } },
  { id: 'yes', match: 'mcp__shop__*', allow: true },
];

/** Totals of the calls that ran in all processes. */
interface Totals {
  spent: number;
  looks: number;
}

function shopServer(totals: Totals): ReturnType<typeof localServer> {
  const input = { type: 'object', properties: { amount: { type: 'number' } } };
  return localServer({
    name: 'shop',
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        input,
        effect: 'irreversible',
        run: (args) => {
          totals.spent += Number((args as { amount?: number }).amount);
          return 'paid';
        },
      }),
      defineTool({
        name: 'look',
        description: 'Looks.',
        input,
        effect: 'read',
        run: () => `look ${(totals.looks += 1)}`,
      }),
      defineTool({ name: 'diary', description: 'Reads.', input, effect: 'read', labels: ['private'], run: () => 'x' }),
      defineTool({
        name: 'send',
        description: 'Sends.',
        input,
        effect: 'irreversible',
        labels: ['external'],
        run: () => 'sent',
      }),
    ],
  });
}

/** Makes calls of one agent at several boxes at once, each in its own session, and returns the rules that decided them. */
async function callConcurrently(
  boxes: readonly Signalbox[],
  agent: string,
  tool: string,
  amounts: readonly number[],
): Promise<readonly string[]> {
  const rule = async (amount: number, index: number): Promise<string> => {
    const options = { principal: { id: agent, kind: 'agent' }, session: `${agent} ${index}` } as const;
    const result = await boxes[index % boxes.length]?.call(`mcp__shop__${tool}`, { amount }, options);
    return result?.decision?.rule ?? '';
  };
  return await Promise.all(amounts.map(rule));
}

async function assertSharedLimits(t: TestContext, open: (totals: Totals) => Promise<Signalbox>): Promise<void> {
  const totals: Totals = { spent: 0, looks: 0 };
  const boxes = await Promise.all([1, 2, 3].map(() => open(totals)));
  t.after(() => Promise.all(boxes.map((box) => box.close())));
  for (let round = 0; round < 8; round += 1) {
    const agent = `bot ${round}`;
    // In every other round all boxes know the agent; in the others, the concurrent calls are the first entries that they read.
    if (round % 2 === 0) await callConcurrently(boxes, agent, 'pay', [0, 0, 0]);
    totals.spent = totals.looks = 0;
    const paid = await callConcurrently(boxes, agent, 'pay', Array<number>(24).fill(10));
    assert.equal(totals.spent, 100, `spent in round ${round}: ${paid.join(' ')}`);
    const looked = await callConcurrently(boxes, agent, 'look', Array<number>(24).fill(0));
    assert.equal(totals.looks, 7, `looks in round ${round}: ${looked.join(' ')}`);
    assert.deepEqual(await callConcurrently(boxes, agent, 'pay', [10, 10, 10]), ['purse', 'purse', 'purse']);
  }
}

describe('limits and flow shared by several processes', () => {
  let started: ReturnType<typeof startPostgres> | undefined;
  after(async () => (await started)?.end());

  test('a budget allows exactly the calls that fit, on one SQLite file', async (t) => {
    const data = temporaryDirectory(t);
    await assertSharedLimits(t, (totals) => createSignalbox({ servers: [shopServer(totals)], policies: rules, data }));
  });

  test('a budget allows exactly the calls that fit, on one PostgreSQL database', async (t) => {
    const address = (await (started ??= startPostgres())).address('limits');
    await assertSharedLimits(t, async (totals) =>
      createSignalbox({ servers: [shopServer(totals)], policies: rules, store: await postgresStore({ address }) }),
    );
  });

  test('a flow rule knows what other processes read and sent, on one SQLite file', async (t) => {
    const data = temporaryDirectory(t);
    const totals: Totals = { spent: 0, looks: 0 };
    const boxes = await Promise.all(
      [1, 2].map(() => createSignalbox({ servers: [shopServer(totals)], policies: rules, data })),
    );
    t.after(() => Promise.all(boxes.map((box) => box.close())));
    assert.deepEqual(await callConcurrently(boxes, 'bot', 'send', [0, 0]), ['yes', 'yes']);
    assert.deepEqual(await callConcurrently(boxes.slice(0, 1), 'bot', 'diary', [0]), ['yes']);
    assert.deepEqual(await callConcurrently(boxes, 'bot', 'send', [0, 0]), ['leak', 'leak']);
  });

  test('budget and rate limit hold for several processes of signalbox stdio', async (t) => {
    const configuration = JSON.parse(notesProject['signalbox.config.json']) as object;
    const workspace = new CliProject({
      ...notesProject,
      'policies.yaml': `
- { id: few, budget: { match: mcp__notes__add, calls: 5 } }
- { id: calm, rateLimit: { match: mcp__notes__list, per: 1h, max: 5 } }
- { id: yes, match: "mcp__notes__*", allow: true }
`,
      'signalbox.config.json': JSON.stringify({ ...configuration, policies: 'policies.yaml' }),
    });
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const client = new Client({ name: 'Editor', version: '1' });
        t.after(() => client.close());
        await client.connect(new StdioClientTransport(workspace.stdioServer()));
        return client;
      }),
    );
    const completed = async (name: string): Promise<number> => {
      const call = async (_: unknown, index: number): Promise<boolean> => {
        const args = name.endsWith('add') ? { text: 'a' } : {};
        return (await clients[index % 2]?.callTool({ name, arguments: args }))?.isError !== true;
      };
      return (await Promise.all(Array.from({ length: 20 }, call))).filter(Boolean).length;
    };
    assert.equal(await completed('mcp__notes__add'), 5);
    assert.equal(await completed('mcp__notes__list'), 5);
  });
});

const valueRules: readonly JsonObject[] = [
  { id: 'leak', flow: { from: ['private'], to: ['external'], when: 'value' } },
  { id: 'yes', match: 'mcp__mail__*', allow: true },
];
const registered = 'correct-horse-battery-staple';
/** Text far beyond the part of an output that the journal records. */
const ending = 'the merger with the northern company closes on the second tuesday';

/** Creates a server with a letter of 200 KB, with a registered secret at the beginning and private text at the end. */
function mailServer(): ReturnType<typeof localServer> {
  const input = { type: 'object', properties: { text: { type: 'string' } } };
  let filler = '';
  for (let line = 0; filler.length < 200 * 1024; line += 1) filler += `nothing of interest in line ${line * 7919}\n`;
  const letter = `${registered}\n${filler}\n${ending}\n`;
  return localServer({
    name: 'mail',
    tools: [
      defineTool({
        name: 'read',
        description: 'Reads.',
        input,
        effect: 'read',
        labels: ['private'],
        run: () => letter,
      }),
      defineTool({
        name: 'send',
        description: 'Sends.',
        input,
        effect: 'irreversible',
        labels: ['external'],
        run: () => 'sent',
      }),
    ],
  });
}

const principal = { id: 'bot', kind: 'agent' } as const;

async function openMailBox(t: TestContext, storage: { data: string } | { store: Store }): Promise<Signalbox> {
  const box = await createSignalbox({
    servers: [mailServer()],
    policies: valueRules,
    secrets: { KEY: registered },
    ...storage,
  });
  t.after(() => box.close());
  return box;
}

async function readLetter(box: Signalbox): Promise<void> {
  const { outcome } = await box.call('mcp__mail__read', {}, { principal, session: 'reading' });
  assert.equal(outcome, 'completed');
}

/** Sends a part of the end of the letter, the secret at its beginning, and unrelated text. */
async function assertRecognized(box: Signalbox): Promise<void> {
  const send = async (text: string): Promise<string | undefined> =>
    (await box.call('mcp__mail__send', { text }, { principal, session: 'sending' })).decision?.rule;
  assert.equal(await send(`they say ${ending.slice(10, 50).toUpperCase()}`), 'leak');
  assert.equal(await send(Buffer.from(registered).toString('base64')), 'leak');
  assert.equal(await send('good morning, and a nice day'), 'yes');
}

describe('output text beyond the part that the journal records', () => {
  let started: ReturnType<typeof startPostgres> | undefined;
  const cluster = (): ReturnType<typeof startPostgres> => (started ??= startPostgres());
  after(async () => (await started)?.end());

  test('is recognized by flow rules after a restart, and stored only as encrypted fingerprints', async (t) => {
    const data = temporaryDirectory(t);
    const box = await openMailBox(t, { data });
    await readLetter(box);
    await box.close();
    await assertRecognized(await openMailBox(t, { data }));
    const store = sqliteStore({ file: join(data, 'signalbox.db') });
    const rows = await store.keyValues.list('fingerprints ["private","bot"]');
    await store.close();
    assert.equal(rows.length, 1);
    const bytes = Buffer.from(rows[0]?.text ?? '', 'base64');
    const plain = Buffer.from(fingerprintsOf(ending).buffer);
    for (let at = 0; at < plain.length; at += 8)
      assert.equal(bytes.includes(plain.subarray(at, at + 8)), false, 'the fingerprints are encrypted');
  });

  test('is recognized at once by another process on the same SQLite file', async (t) => {
    const data = temporaryDirectory(t);
    const [one, other] = [await openMailBox(t, { data }), await openMailBox(t, { data })];
    assert.equal((await other.call('mcp__mail__send', { text: ending }, { principal })).decision?.rule, 'yes');
    await readLetter(one);
    await assertRecognized(other);
  });

  test('is recognized by replicas on PostgreSQL that share a key, also after a restart', async (t) => {
    const address = (await cluster()).address('outputs');
    const data = temporaryDirectory(t);
    const open = async (): Promise<Signalbox> =>
      openMailBox(t, { store: await postgresStore({ address, sealer: await journalSealer(data, 'outputs') }) });
    const [one, other] = [await open(), await open()];
    assert.equal((await other.call('mcp__mail__send', { text: ending }, { principal })).decision?.rule, 'yes');
    await readLetter(one);
    await assertRecognized(other);
    await Promise.all([one.close(), other.close()]);
    await assertRecognized(await open());
  });

  test('is recognized from a backup, and from a copy to PostgreSQL', async (t) => {
    const [data, restored] = [temporaryDirectory(t), temporaryDirectory(t)];
    const box = await openMailBox(t, { data });
    await readLetter(box);
    await box.close();
    const file = join(data, 'signalbox.db');
    await backUpSqlite(file, join(restored, 'signalbox.db'));
    for (const name of ['journal.key', 'journal.seals']) copyFileSync(join(data, name), join(restored, name));
    await assertRecognized(await openMailBox(t, { data: restored }));
    const address = (await cluster()).address('copied_outputs');
    const source = await openSqliteSource(file);
    const target = await openPostgresTarget(address, source);
    await copyStore(source, target);
    await target.close();
    source.close();
    const store = await postgresStore({ address, sealer: await journalSealer(data, 'copied') });
    await assertRecognized(await openMailBox(t, { store }));
  });

  test('takes bounded space for each principal', async (t) => {
    const data = temporaryDirectory(t);
    const box = await openMailBox(t, { data });
    for (let round = 0; round < 12; round += 1) await readLetter(box);
    await box.close();
    const store = sqliteStore({ file: join(data, 'signalbox.db') });
    const rows = await store.keyValues.list('fingerprints ["private","bot"]');
    await store.close();
    const bytes = rows.reduce((sum, { text }) => sum + text.length, 0);
    assert.ok(rows.length < 12 && bytes < 3_000_000, `${rows.length} outputs, ${bytes} bytes`);
  });
});
