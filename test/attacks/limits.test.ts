import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import { Place, withNotes } from '../e2e/cli-place.ts';
import { startPostgres } from '../support/postgres.ts';

const rules: readonly JsonObject[] = [
  { id: 'purse', budget: { match: 'mcp__shop__pay', cost: 100, each: 'args.amount', by: 'principal', per: '1d' } },
  { id: 'calm', rateLimit: { match: 'mcp__shop__look', per: '1h', max: 7, by: 'principal' } },
  { id: 'leak', flow: { from: ['private'], to: ['external'] } },
  { id: 'yes', match: 'mcp__shop__*', allow: true },
];

/** What ran in all processes. */
interface Ran {
  spent: number;
  looks: number;
}

function shop(ran: Ran): ReturnType<typeof localServer> {
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
          ran.spent += Number((args as { amount?: number }).amount);
          return 'paid';
        },
      }),
      defineTool({ name: 'look', description: 'Looks.', input, effect: 'read', run: () => `look ${(ran.looks += 1)}` }),
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

function place(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-limits-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

/** Calls of one agent at several boxes at once, each in a session of its own. */
async function rush(
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

async function assertShared(t: TestContext, open: (ran: Ran) => Promise<Signalbox>): Promise<void> {
  const ran: Ran = { spent: 0, looks: 0 };
  const boxes = await Promise.all([1, 2, 3].map(() => open(ran)));
  t.after(() => Promise.all(boxes.map((box) => box.close())));
  for (let round = 0; round < 8; round += 1) {
    const agent = `bot ${round}`;
    // In every other round all boxes know the agent; else the first thing that they read is the rush itself.
    if (round % 2 === 0) await rush(boxes, agent, 'pay', [0, 0, 0]);
    ran.spent = ran.looks = 0;
    const paid = await rush(boxes, agent, 'pay', Array<number>(24).fill(10));
    assert.equal(ran.spent, 100, `spent in round ${round}: ${paid.join(' ')}`);
    const looked = await rush(boxes, agent, 'look', Array<number>(24).fill(0));
    assert.equal(ran.looks, 7, `looks in round ${round}: ${looked.join(' ')}`);
    assert.deepEqual(await rush(boxes, agent, 'pay', [10, 10, 10]), ['purse', 'purse', 'purse']);
  }
}

describe('several processes that spend one budget at the same time', () => {
  let started: ReturnType<typeof startPostgres> | undefined;
  after(async () => (await started)?.end());

  test('run exactly the calls that fit it, on one SQLite file', async (t) => {
    const data = place(t);
    await assertShared(t, (ran) => createSignalbox({ servers: [shop(ran)], policies: rules, data }));
  });

  test('run exactly the calls that fit it, on one PostgreSQL', async (t) => {
    const address = (await (started ??= startPostgres())).address('limits');
    await assertShared(t, async (ran) =>
      createSignalbox({ servers: [shop(ran)], policies: rules, store: await postgresStore({ address }) }),
    );
  });

  test('know on one SQLite file what the others read and sent, once it is answered', async (t) => {
    const data = place(t);
    const ran: Ran = { spent: 0, looks: 0 };
    const boxes = await Promise.all([1, 2].map(() => createSignalbox({ servers: [shop(ran)], policies: rules, data })));
    t.after(() => Promise.all(boxes.map((box) => box.close())));
    assert.deepEqual(await rush(boxes, 'bot', 'send', [0, 0]), ['yes', 'yes']);
    assert.deepEqual(await rush(boxes.slice(0, 1), 'bot', 'diary', [0]), ['yes']);
    assert.deepEqual(await rush(boxes, 'bot', 'send', [0, 0]), ['leak', 'leak']);
  });

  test('are processes of signalbox stdio, too', async (t) => {
    const configuration = JSON.parse(withNotes['signalbox.config.json']) as object;
    const given = new Place({
      ...withNotes,
      'policies.yaml': `
- { id: few, budget: { match: mcp__notes__add, calls: 5 } }
- { id: calm, rateLimit: { match: mcp__notes__list, per: 1h, max: 5 } }
- { id: yes, match: "mcp__notes__*", allow: true }
`,
      'signalbox.config.json': JSON.stringify({ ...configuration, policies: 'policies.yaml' }),
    });
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const transport = new StdioClientTransport({
          command: process.execPath,
          args: [given.program, 'stdio'],
          cwd: given.directory,
          env: { ...(process.env as Record<string, string>), SIGNALBOX_HOME: given.data, SIGNALBOX_SECRETS: 'file' },
        });
        const client = new Client({ name: 'Editor', version: '1' });
        t.after(() => client.close());
        await client.connect(transport);
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
/** Far beyond what the journal records of an output. */
const late = 'the merger with the northern company closes on the second tuesday';

/** A letter of 200 KB with a registered secret at the beginning and something private at the end. */
function mail(): ReturnType<typeof localServer> {
  const input = { type: 'object', properties: { text: { type: 'string' } } };
  let filler = '';
  for (let line = 0; filler.length < 200 * 1024; line += 1) filler += `nothing of interest in line ${line * 7919}\n`;
  const letter = `${registered}\n${filler}\n${late}\n`;
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

async function mailBox(t: TestContext, where: { data: string } | { store: Store }): Promise<Signalbox> {
  const box = await createSignalbox({
    servers: [mail()],
    policies: valueRules,
    secrets: { KEY: registered },
    ...where,
  });
  t.after(() => box.close());
  return box;
}

async function read(box: Signalbox): Promise<void> {
  const { outcome } = await box.call('mcp__mail__read', {}, { principal, session: 'reading' });
  assert.equal(outcome, 'completed');
}

/** Sends a part of the end of the letter, the secret at its beginning, and something else. */
async function assertRecognised(box: Signalbox): Promise<void> {
  const send = async (text: string): Promise<string | undefined> =>
    (await box.call('mcp__mail__send', { text }, { principal, session: 'sending' })).decision?.rule;
  assert.equal(await send(`they say ${late.slice(10, 50).toUpperCase()}`), 'leak');
  assert.equal(await send(Buffer.from(registered).toString('base64')), 'leak');
  assert.equal(await send('good morning, and a nice day'), 'yes');
}

describe('text beyond what the journal records of an output', () => {
  let started: ReturnType<typeof startPostgres> | undefined;
  const cluster = (): ReturnType<typeof startPostgres> => (started ??= startPostgres());
  after(async () => (await started)?.end());

  test('is recognised by flow rules after a restart, and not stored in a form that can be read', async (t) => {
    const data = place(t);
    const box = await mailBox(t, { data });
    await read(box);
    await box.close();
    await assertRecognised(await mailBox(t, { data }));
    const store = sqliteStore({ file: join(data, 'signalbox.db') });
    const rows = await store.keyValues.list('fingerprints ["private","bot"]');
    await store.close();
    assert.equal(rows.length, 1);
    const bytes = Buffer.from(rows[0]?.text ?? '', 'base64');
    const plain = fingerprintsOf(late);
    const hidden = Buffer.from(plain.buffer);
    for (let at = 0; at < hidden.length; at += 8)
      assert.equal(bytes.includes(hidden.subarray(at, at + 8)), false, 'the fingerprints are encrypted');
  });

  test('is recognised at once by another process on the same SQLite file', async (t) => {
    const data = place(t);
    const [one, other] = [await mailBox(t, { data }), await mailBox(t, { data })];
    assert.equal((await other.call('mcp__mail__send', { text: late }, { principal })).decision?.rule, 'yes');
    await read(one);
    await assertRecognised(other);
  });

  test('is recognised by replicas on PostgreSQL that share a key, and after a restart there', async (t) => {
    const address = (await cluster()).address('outputs');
    const data = place(t);
    const open = async (): Promise<Signalbox> =>
      mailBox(t, { store: await postgresStore({ address, sealer: await journalSealer(data, 'outputs') }) });
    const [one, other] = [await open(), await open()];
    assert.equal((await other.call('mcp__mail__send', { text: late }, { principal })).decision?.rule, 'yes');
    await read(one);
    await assertRecognised(other);
    await Promise.all([one.close(), other.close()]);
    await assertRecognised(await open());
  });

  test('is recognised from a backup, and from a copy to PostgreSQL', async (t) => {
    const [data, restored] = [place(t), place(t)];
    const box = await mailBox(t, { data });
    await read(box);
    await box.close();
    const file = join(data, 'signalbox.db');
    await backUpSqlite(file, join(restored, 'signalbox.db'));
    for (const name of ['journal.key', 'journal.seals']) copyFileSync(join(data, name), join(restored, name));
    await assertRecognised(await mailBox(t, { data: restored }));
    const address = (await cluster()).address('copied_outputs');
    const source = await openSqliteSource(file);
    const target = await openPostgresTarget(address, source);
    await copyStore(source, target);
    await target.close();
    source.close();
    const store = await postgresStore({ address, sealer: await journalSealer(data, 'copied') });
    await assertRecognised(await mailBox(t, { store }));
  });

  test('is stored no longer than it can be known: one principal fills a bounded space', async (t) => {
    const data = place(t);
    const box = await mailBox(t, { data });
    for (let round = 0; round < 12; round += 1) await read(box);
    await box.close();
    const store = sqliteStore({ file: join(data, 'signalbox.db') });
    const rows = await store.keyValues.list('fingerprints ["private","bot"]');
    await store.close();
    const bytes = rows.reduce((sum, { text }) => sum + text.length, 0);
    assert.ok(rows.length < 12 && bytes < 3_000_000, `${rows.length} outputs, ${bytes} bytes`);
  });
});
