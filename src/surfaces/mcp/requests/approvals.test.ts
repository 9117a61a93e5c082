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

/** Serves an irreversible tool, which needs approval. The profile `trusting` accepts approvals by the user of the client. */
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
  describe(`approval of a call over MCP (${era} client)`, () => {
    test('asks the user of the client when the profile trusts humans; acceptance runs the call once', async (t) => {
      const { box, trusting, ran } = await shop(t);
      const questions: string[] = [];
      const client = await secondClient(t, trusting, era, (made) =>
        made.setRequestHandler('elicitation/create', ({ params }) => {
          questions.push(params.message);
          return { action: 'accept', content: { allow: true } };
        }),
      );
      const result = await client.callTool(call);
      assert.deepEqual(result.content, [{ type: 'text', text: 'paid' }]);
      assert.equal(ran(), 1);
      assert.match(questions.join(), /Allow mcp__bank__pay \(irreversible\) with \{"amount":5\}\?/);
      const [approval] = await box.approvals.list({ all: true });
      assert.equal(approval?.state, 'used');
      assert.match(approval.answer?.by.id ?? '', /token:admin \(at its client\)/);
    });

    test('a declined question runs nothing', async (t) => {
      const { trusting, ran } = await shop(t);
      const client = await secondClient(t, trusting, era, (made) =>
        made.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
      );
      const result = await client.callTool(call);
      assert.equal(result.isError, true);
      assert.equal(ran(), 0);
    });

    test('does not ask the user without that trust: the client gets progress, and an approval by another client runs the call', async (t) => {
      const { box, url, ran } = await shop(t);
      const client = await secondClient(t, url, era, (made) =>
        made.setRequestHandler('elicitation/create', () => {
          throw new Error('the user must not be asked');
        }),
      );
      const messages: string[] = [];
      const events = new EventTarget();
      const result = client.callTool(call, {
        onprogress: ({ message = '' }) => {
          messages.push(message);
          events.dispatchEvent(new Event('progress'));
        },
      });
      await once(events, 'progress');
      assert.match(messages.join(), /waits for a human’s approval/);
      assert.equal(ran(), 0);
      const [approval] = await box.approvals.list();
      assert.ok(approval);
      await box.approvals.approve(approval.id, { by: human });
      assert.deepEqual((await result).content, [{ type: 'text', text: 'paid' }]);
      assert.equal(ran(), 1);
    });

    test('an approval by another client takes precedence over the question to the user', async (t) => {
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

test('an unanswered call ends with the place to approve it, and the same call runs after the approval', async (t) => {
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
  const waiting = await serve();
  assert.equal(waiting.isError, true);
  const hint = waiting.content.map(({ text }) => text).join(' ');
  const [approval] = await box.approvals.list();
  assert.ok(approval);
  assert.match(hint, /make exactly the same call again once it is approved/);
  assert.ok(hint.includes(`http://inbox.example/, or with: signalbox approve ${approval.id}`), hint);
  await box.approvals.approve(approval.id, { by: human });
  assert.deepEqual((await serve()).content, [{ type: 'text', text: 'paid' }]);
  assert.equal(ran(), 1);
});
