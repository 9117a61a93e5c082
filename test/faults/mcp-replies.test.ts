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

/** Returns its text at once or a little later, and may report progress before. */
const echo = defineTool({
  name: 'echo',
  description: 'Returns its text.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' }, ms: { type: 'number' }, reports: { type: 'boolean' } },
    required: ['text'],
  } as const,
  effect: 'read',
  async run({ text, ms = 0, reports = false }, { progress }) {
    if (reports) progress({ progress: 1, message: text });
    if (ms > 0) await wait(ms);
    return text;
  },
});

test(
  'no reply reaches another client: 200 clients with equal ids, in both eras, tens of thousands of replies, cancels and disconnects',
  { timeout: 900_000 },
  async (t) => {
    const { box, url, logged } = await serving(t, { servers: [localServer({ name: 'fixture', tools: [echo] })] });
    const by = { id: 'user:test', kind: 'human' } as const;
    const tokens = await Promise.all(
      Array.from({ length: 10 }, async () => (await box.tokens.create({ role: 'agent', by })).token),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    t.after(() => agent.destroy());
    const counts = { replies: 0, streamed: 0, foreign: 0, left: 0, cancelled: 0 };

    /** Returns the response, or `undefined` if the client disconnects before. */
    const post = (headers: Record<string, string>, body: string, leaveAfterMs?: number): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => {
            if (String(response.headers['content-type']).includes('event-stream')) counts.streamed += 1;
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
        const isOwn = [...message.matchAll(/canary-\d+-\d+/g)].every(([match]) => match === canary);
        const { id: replyId } = JSON.parse(message) as { id?: number };
        if (!isOwn || (replyId !== undefined && replyId !== id)) counts.foreign += 1;
        if (replyId === undefined) continue;
        counts.replies += 1;
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
        const args = { text: canary, ms: chance < 0.1 ? 1 + random() * 5 : 0, reports: random() < 0.1 };
        const params = { name: 'mcp__fixture__echo', arguments: args, _meta: meta };
        const leaves = chance < 0.04;
        // All clients use the same ids.
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        const answer = post(headers, body, leaves ? random() * 4 : undefined);
        if (!isModern && chance > 0.04 && chance < 0.06) {
          counts.cancelled += 1;
          const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
          await post(headers, JSON.stringify(cancel));
        }
        const text = await answer;
        if (text === undefined || leaves) counts.left += 1;
        if (text !== undefined) check(text, canary, id);
      }
    };

    const { user, system } = process.cpuUsage();
    await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
    const spent = process.cpuUsage({ user, system });
    t.diagnostic(`${JSON.stringify(counts)}, ${Math.round((spent.user + spent.system) / 1e6)} s of processor time`);
    assert.equal(counts.foreign, 0);
    assert.ok(counts.replies >= clients * callsEach * 0.85, `${counts.replies} replies were checked`);
    assert.ok(counts.streamed > clients * callsEach * 0.07, `${counts.streamed} answers were streams, in both eras`);
    assert.ok(Math.min(counts.left, counts.cancelled) > clients * callsEach * 0.0045, JSON.stringify(counts));
    assert.deepEqual(logged, []);
  },
);
