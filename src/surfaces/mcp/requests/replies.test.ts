import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Message, begin, messagesOf, send, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving, token } from '../../../../test/mcp-clients/serving.ts';
import { transportOf } from '../../../../test/mcp-servers/fixture-links.ts';
import { mcpServer } from '../../../index.ts';

const clients = 60;
const callsEach = 15;

/** A deterministic random number generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

test('no reply or progress reaches another client, with equal request ids and clients that disconnect', async (t) => {
  const server = mcpServer({ name: 'fixture', concurrency: 64, transport: await transportOf(t, 'modern http') });
  const { box, url, logged } = await serving(t, { servers: [server] });
  await server.ready();
  const by = { id: 'user:test', kind: 'human' } as const;
  const tokens = await Promise.all(
    Array.from({ length: 6 }, async () => (await box.tokens.create({ role: 'agent', by })).token),
  );
  let replies = 0;
  let foreign = 0;

  const check = (canary: string, messages: readonly Message[]): void => {
    for (const message of messages) {
      replies += 1;
      const text = JSON.stringify(message);
      for (const [found] of text.matchAll(/canary-\d+-\d+/g)) if (found !== canary) foreign += 1;
    }
  };

  const run = async (client: number): Promise<void> => {
    const random = createRandom(client + 1);
    const headers = { Authorization: `Bearer ${tokens[client % tokens.length] ?? token}` };
    const session = client % 2 === 0 ? await begin(url, {}, headers) : undefined;
    for (let number = 0; number < callsEach; number += 1) {
      const canary = `canary-${client}-${number}`;
      const steps = { name: 'mcp__fixture__steps', arguments: { name: canary, count: 2 } };
      const echo = { name: 'mcp__fixture__echo', arguments: { text: canary } };
      const params = random() < 0.3 ? { ...steps, _meta: { progressToken: 1 } } : echo;
      // All clients use the same sequence of request ids.
      const body = JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params });
      const disconnect = random() < 0.15 ? AbortSignal.timeout(Math.floor(random() * 10)) : undefined;
      const answer =
        session === undefined
          ? sendModern(url, 'tools/call', params, { id: number, headers, meta: { progressToken: 1 } })
          : send(url, body, session);
      if (disconnect === undefined) check(canary, await messagesOf(await answer));
      else await Promise.race([answer.then(async (response) => response.body?.cancel()), wait(10)]);
    }
  };

  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  assert.equal(foreign, 0);
  assert.ok(replies > clients * callsEach * 0.7, `${replies} replies were checked`);
  assert.deepEqual(logged, []);
});
