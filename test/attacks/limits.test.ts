import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, after, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JsonObject } from '../../src/model/json.ts';
import { type Signalbox, createSignalbox } from '../../src/signalbox.ts';
import { defineTool } from '../../src/sources/local/define-tool.ts';
import { localServer } from '../../src/sources/local/local-server.ts';
import { postgresStore } from '../../src/store/postgres/postgres-store.ts';
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
async function rush(boxes: readonly Signalbox[], agent: string, tool: string, amounts: readonly number[]) {
  const calls = amounts.map((amount, index) =>
    boxes[index % boxes.length]?.call(
      `mcp__shop__${tool}`,
      { amount },
      { principal: { id: agent, kind: 'agent' }, session: `${agent} ${index}` },
    ),
  );
  return (await Promise.all(calls)).map((result) => result?.decision?.rule ?? '');
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
    const boxes = await Promise.all(
      [1, 2].map(() => createSignalbox({ servers: [shop(ran)], policies: rules, data })),
    );
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
      const calls = Array.from({ length: 20 }, (_, index) =>
        clients[index % 2]?.callTool({ name, arguments: name.endsWith('add') ? { text: 'a' } : {} }),
      );
      return (await Promise.all(calls)).filter((result) => result?.isError !== true).length;
    };
    assert.equal(await completed('mcp__notes__add'), 5);
    assert.equal(await completed('mcp__notes__list'), 5);
  });
});
