import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, localServer } from '../../src/index.ts';
import { begin, envelope, eventsIn } from '../mcp-clients/raw.ts';
import { serving } from '../mcp-clients/serving.ts';
import { isFull } from '../support/faults.ts';
import { seeded } from '../support/seeded.ts';

const clients = 200;
const callsEach = isFull() ? 560 : 64;

/** Gives its text back at once or a little later, and may say it before that, too. */
const echo = defineTool({
  name: 'echo',
  description: 'Gives its text back.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' }, ms: { type: 'number' }, says: { type: 'boolean' } },
    required: ['text'],
  } as const,
  effect: 'read',
  async run({ text, ms = 0, says = false }, { progress }) {
    if (says) progress({ progress: 1, message: text });
    if (ms > 0) await wait(ms);
    return text;
  },
});

test(
  'no reply reaches another client: 200 at once with equal ids, in both eras, replies by the ten thousand, cancels and disconnects',
  { timeout: 900_000 },
  async (t) => {
    const { box, url, logged } = await serving(t, { servers: [localServer({ name: 'fixture', tools: [echo] })] });
    const by = { id: 'user:test', kind: 'human' } as const;
    const tokens = await Promise.all(
      Array.from({ length: 10 }, async () => (await box.tokens.create({ role: 'agent', by })).token),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    t.after(() => agent.destroy());
    const seen = { replies: 0, streamed: 0, foreign: 0, left: 0, cancelled: 0 };

    /** What comes back, unless the client leaves before. */
    const post = (headers: Record<string, string>, body: string, leaveAfterMs?: number): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => {
            if (String(response.headers['content-type']).includes('event-stream')) seen.streamed += 1;
            resolve(text);
          });
          response.on('error', () => resolve(undefined));
        });
        outgoing.on('error', leaveAfterMs === undefined ? reject : () => resolve(undefined));
        outgoing.end(body);
        if (leaveAfterMs !== undefined) setTimeout(() => outgoing.destroy(), leaveAfterMs);
      });

    const check = (text: string, canary: string, id: number): void => {
      const messages = text.startsWith('{') ? [text] : eventsIn(text).map(({ data }) => data);
      for (const message of messages) {
        if (message === '') continue;
        const isOwn = [...message.matchAll(/canary-\d+-\d+/g)].every(([found]) => found === canary);
        const { id: answered } = JSON.parse(message) as { id?: number };
        if (!isOwn || (answered !== undefined && answered !== id)) seen.foreign += 1;
        if (answered === undefined) continue;
        seen.replies += 1;
        assert.match(message, new RegExp(`${canary}"|cancelled`));
      }
    };

    const run = async (client: number): Promise<void> => {
      const random = seeded(client + 1);
      const authorization = { Authorization: `Bearer ${tokens[client % tokens.length] ?? ''}` };
      const isModern = client % 2 === 1;
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(isModern
          ? {
              ...authorization,
              'MCP-Protocol-Version': '2026-07-28',
              'Mcp-Method': 'tools/call',
              'Mcp-Name': 'mcp__fixture__echo',
            }
          : await begin(url, {}, authorization)),
      };
      const meta = { ...(isModern ? envelope() : {}), progressToken: 1 };
      for (let id = 0; id < callsEach; id += 1) {
        const canary = `canary-${client}-${id}`;
        const chance = random();
        const args = { text: canary, ms: chance < 0.1 ? 1 + random() * 5 : 0, says: random() < 0.1 };
        const params = { name: 'mcp__fixture__echo', arguments: args, _meta: meta };
        const leaves = chance < 0.04;
        // Every client counts its requests in the same way.
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        const answer = post(headers, body, leaves ? random() * 4 : undefined);
        if (!isModern && chance > 0.04 && chance < 0.06) {
          seen.cancelled += 1;
          const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
          await post(headers, JSON.stringify(cancel));
        }
        const text = await answer;
        if (text === undefined || leaves) seen.left += 1;
        if (text !== undefined) check(text, canary, id);
      }
    };

    const { user, system } = process.cpuUsage();
    await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
    const spent = process.cpuUsage({ user, system });
    t.diagnostic(`${JSON.stringify(seen)}, ${Math.round((spent.user + spent.system) / 1e6)} s of processor time`);
    assert.equal(seen.foreign, 0);
    assert.ok(seen.replies >= clients * callsEach * 0.85, `${seen.replies} replies were looked at`);
    assert.ok(seen.streamed > clients * callsEach * 0.07, `${seen.streamed} answers were streams, in both eras`);
    assert.ok(Math.min(seen.left, seen.cancelled) > clients * callsEach * 0.0045, JSON.stringify(seen));
    assert.deepEqual(logged, []);
  },
);
