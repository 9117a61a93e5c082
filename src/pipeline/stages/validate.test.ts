import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApprovalRequest, type Signalbox, createSignalbox, defineTool, localServer } from '../../index.ts';
import { shapeSource } from '../../catalog/transforms/shaping/shape-source.ts';

/** The relevant part of the schema of Playwright's `browser_take_screenshot`. */
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

interface ScreenshotBox {
  readonly box: Signalbox;
  /** The arguments that the tool received. */
  readonly ran: unknown[];
  readonly requests: ApprovalRequest[];
}

async function openBox(options: Parameters<typeof createSignalbox>[0] = {}): Promise<ScreenshotBox> {
  const ran: unknown[] = [];
  const requests: ApprovalRequest[] = [];
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
      requests.push(request);
      return { allow: true };
    },
    ...options,
  });
  return { box, ran, requests };
}

const name = 'mcp__playwright__browser_take_screenshot';

test('a required argument with a default may be omitted; the tool, the approval and the journal receive the default', async () => {
  const { box, ran, requests } = await openBox();
  const given = { clip: {} };
  const { outcome, callId } = await box.call(name, given);
  const filled = { clip: { width: 800 }, type: 'png', scale: 'css' };
  assert.equal(outcome, 'completed');
  assert.deepEqual(ran, [filled]);
  assert.deepEqual(requests[0]?.arguments, filled);
  assert.deepEqual((await box.journal.call(callId))?.arguments, filled);
  assert.deepEqual(given, { clip: {} }, 'the caller’s object is not modified');
  const advertised = box.tools().find((tool) => tool.name === name);
  assert.deepEqual(advertised?.inputSchema, input, 'the advertised schema is that of the server');
  await box.close();
});

test('policy decides on the filled arguments, and invalid ones are rejected', async () => {
  const rules = [
    { id: 'css', match: name, deny: "args.scale == 'css'" },
    { id: 'yes', match: name, allow: true },
  ];
  const { box, ran } = await openBox({ policies: rules });
  assert.equal((await box.call(name)).decision?.rule, 'css');
  assert.equal((await box.call(name, { scale: 'device' })).decision?.rule, 'yes');
  assert.deepEqual(ran, [{ scale: 'device', type: 'png' }]);
  const wrong = await box.call(name, { scale: 'huge' });
  assert.deepEqual([wrong.outcome, wrong.error?.code], ['failed', 'arguments-invalid']);
  await box.close();
});

test('an idempotency key is bound to the filled arguments, whether defaults are omitted or given', async () => {
  const { box, ran } = await openBox();
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

test('defaults are also filled in for a tool whose arguments the configuration sets', async () => {
  const { box, ran } = await openBox({ servers: [] });
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
