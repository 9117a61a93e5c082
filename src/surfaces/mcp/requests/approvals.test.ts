import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { secondClient } from '../../../../test/mcp-clients/clients.ts';
import { envelope } from '../../../../test/mcp-clients/raw.ts';
import { type Serving, serving } from '../../../../test/mcp-clients/serving.ts';
import { defineTool, localServer } from '../../../index.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { McpEndpoint } from '../mcp-endpoint.ts';

const human = { id: 'user:test', kind: 'human' } as const;

/**
 * A box whose only tool is irreversible and therefore needs approval. The profile `trusting` accepts approvals of the client’s
 * user.
 */
async function shop(t: TestContext): Promise<Serving & { readonly trusting: URL; ran(): number }> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  let ran = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    effect: 'irreversible',
    run() {
      ran += 1;
      return 'paid';
    },
  });
  const made = await serving(t, {
    data,
    servers: [localServer({ name: 'bank', tools: [pay] })],
    profiles: { trusting: { trustsHuman: true } },
  });
  return { ...made, trusting: new URL(`${made.url.href}/trusting`), ran: () => ran };
}

const call = { name: 'mcp__bank__pay', arguments: { amount: 5 } };

for (const era of ['legacy', 'modern'] as const) {
  describe(`approval for a client of the ${era} era`, () => {
    test('its user is asked where the profile trusts them: a yes runs the call once', async (t) => {
      const { box, trusting, ran } = await shop(t);
      const asked: string[] = [];
      const client = await secondClient(t, trusting, era, (made) =>
        made.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message);
          return { action: 'accept', content: { allow: true } };
        }),
      );
      const result = await client.callTool(call);
      assert.deepEqual(result.content, [{ type: 'text', text: 'paid' }]);
      assert.equal(ran(), 1);
      assert.match(asked.join(), /Allow mcp__bank__pay \(irreversible\) with \{"amount":5\}\?/);
      const [approval] = await box.approvals.list({ all: true });
      assert.equal(approval?.state, 'used');
      assert.match(approval.answer?.by.id ?? '', /token:admin \(at its client\)/);
    });

    test('a no, or anything but a yes, runs nothing', async (t) => {
      const { trusting, ran } = await shop(t);
      const client = await secondClient(t, trusting, era, (made) =>
        made.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
      );
      const result = await client.callTool(call);
      assert.equal(result.isError, true);
      assert.equal(ran(), 0);
    });

    test('its user is not asked where nobody trusts them: it hears that the call waits, and who answered elsewhere decides', async (t) => {
      const { box, url, ran } = await shop(t);
      const client = await secondClient(t, url, era, (made) =>
        made.setRequestHandler('elicitation/create', () => {
          throw new Error('nobody should be asked');
        }),
      );
      const heard: string[] = [];
      const waits = new EventTarget();
      const result = client.callTool(call, {
        onprogress: ({ message = '' }) => {
          heard.push(message);
          waits.dispatchEvent(new Event('progress'));
        },
      });
      await once(waits, 'progress');
      assert.match(heard.join(), /waits for a human’s approval/);
      assert.equal(ran(), 0);
      const [approval] = await box.approvals.list();
      assert.ok(approval);
      await box.approvals.approve(approval.id, { by: human });
      assert.deepEqual((await result).content, [{ type: 'text', text: 'paid' }]);
      assert.equal(ran(), 1);
    });

    test('an answer from elsewhere takes the question back from its user', async (t) => {
      const { box, trusting, ran } = await shop(t);
      const shown = Promise.withResolvers<void>();
      const client = await secondClient(t, trusting, era, (made) =>
        made.setRequestHandler('elicitation/create', async () => {
          shown.resolve();
          const [approval] = await box.approvals.list();
          if (approval !== undefined) await box.approvals.approve(approval.id, { by: human });
          return { action: 'decline' };
        }),
      );
      const result = await client.callTool(call);
      await shown.promise;
      assert.deepEqual(result.content, [{ type: 'text', text: 'paid' }]);
      assert.equal(ran(), 1);
    });
  });
}

test('a call that nobody answers ends by saying where people approve, and the same call runs after that', async (t) => {
  const { box, ran } = await shop(t);
  const endpoint = new McpEndpoint({ box, inbox: () => 'http://inbox.example/', approvalWaitMs: 20 });
  t.after(() => endpoint.close());
  const view = endpoint.view(undefined);
  const peer = { principal: { id: 'token:test', kind: 'agent' } as const, view };
  const request = {
    kind: 'request',
    id: 1,
    method: 'tools/call',
    params: { ...call, _meta: envelope() as JsonObject },
  } as const;
  const serve = async (): Promise<{ isError?: boolean; content: { text: string }[] }> =>
    (await endpoint.serve(request, peer, { canSend: false, send: () => undefined })) as never;
  const waits = await serve();
  assert.equal(waits.isError, true);
  const said = waits.content.map(({ text }) => text).join(' ');
  const [approval] = await box.approvals.list();
  assert.ok(approval);
  assert.match(said, /make exactly the same call again once it is approved/);
  assert.ok(said.includes(`http://inbox.example/, or with: signalbox approve ${approval.id}`), said);
  await box.approvals.approve(approval.id, { by: human });
  assert.deepEqual((await serve()).content, [{ type: 'text', text: 'paid' }]);
  assert.equal(ran(), 1);
});
