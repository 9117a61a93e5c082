import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApprovalRequest, type Signalbox, createSignalbox, defineTool, localServer } from '../../index.ts';
import { shapeSource } from '../../catalog/transforms/shaping/shape-source.ts';

/** The schema of Playwright's `browser_take_screenshot`, as far as it matters here. */
const input = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['png', 'jpeg'], default: 'png' },
    scale: { type: 'string', enum: ['css', 'device'], default: 'css' },
    clip: { type: 'object', properties: { width: { type: 'number', default: 800 } }, required: ['width'] },
    filename: { type: 'string' },
  },
  required: ['type', 'scale'],
  additionalProperties: false,
} as const;

interface Tried {
  readonly box: Signalbox;
  readonly ran: unknown[];
  readonly asked: ApprovalRequest[];
}

async function opened(policies: Parameters<typeof createSignalbox>[0] = {}): Promise<Tried> {
  const ran: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const take = defineTool({
    name: 'browser_take_screenshot',
    description: 'Takes a screenshot.',
    input,
    run: (args) => {
      ran.push(args);
      return 'taken';
    },
  });
  const box = await createSignalbox({
    servers: [localServer({ name: 'playwright', tools: [take] })],
    approve: (request) => {
      asked.push(request);
      return { allow: true };
    },
    ...policies,
  });
  return { box, ran, asked };
}

const name = 'mcp__playwright__browser_take_screenshot';

test('a required argument with a default may be left out: the tool, the approval and the journal have it filled in', async () => {
  const { box, ran, asked } = await opened();
  const given = { clip: {} };
  const { outcome, callId } = await box.call(name, given);
  const filled = { clip: { width: 800 }, type: 'png', scale: 'css' };
  assert.equal(outcome, 'completed');
  assert.deepEqual(ran, [filled]);
  assert.deepEqual(asked[0]?.arguments, filled);
  assert.deepEqual((await box.journal.call(callId))?.arguments, filled);
  assert.deepEqual(given, { clip: {} }, 'the caller’s object stays as it is');
  const advertised = box.tools().find((tool) => tool.name === name);
  assert.deepEqual(advertised?.inputSchema, input, 'the schema stays as the server sent it');
  await box.close();
});

test('policy decides over the defaults, and what still does not fit is refused', async () => {
  const rules = [
    { id: 'css', match: name, deny: "args.scale == 'css'" },
    { id: 'yes', match: name, allow: true },
  ];
  const { box, ran } = await opened({ policies: rules });
  assert.equal((await box.call(name)).decision?.rule, 'css');
  assert.equal((await box.call(name, { scale: 'device' })).decision?.rule, 'yes');
  assert.deepEqual(ran, [{ scale: 'device', type: 'png' }]);
  const wrong = await box.call(name, { scale: 'huge' });
  assert.deepEqual([wrong.outcome, wrong.error?.code], ['failed', 'arguments-invalid']);
  await box.close();
});

test('an idempotency key is bound to the filled arguments: left out and written out are the same call', async () => {
  const { box, ran } = await opened();
  const first = await box.call(name, {}, { idempotencyKey: 'k' });
  const second = await box.call(name, { scale: 'css', type: 'png' }, { idempotencyKey: 'k' });
  const other = await box.call(name, { scale: 'device' }, { idempotencyKey: 'k' });
  assert.deepEqual(
    [first.outcome, second.outcome, other.error?.code],
    ['completed', 'completed', 'idempotency-conflict'],
  );
  assert.equal(ran.length, 1);
  await box.close();
});

test('a tool whose arguments the configuration shapes gets its own defaults too', async () => {
  const { box, ran } = await opened({ servers: [] });
  const take = defineTool({
    name: 'browser_take_screenshot',
    description: 'Takes a screenshot.',
    input,
    effect: 'read',
    run: (args) => {
      ran.push(args);
      return 'taken';
    },
  });
  const shaping = { origin: 'test', arguments: { '*': { set: { type: 'jpeg', nothing: 1 } } } } as const;
  box.servers.add(shapeSource(localServer({ name: 'playwright', tools: [take] }), shaping));
  assert.equal((await box.call(name)).outcome, 'completed');
  assert.deepEqual(ran, [{ type: 'jpeg', scale: 'css' }]);
  await box.close();
});
