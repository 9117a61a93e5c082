/** Makes calls of every kind until it dies at the given point, and prints each answer. Started by `kill-rounds.ts`. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { seeded } from '../support/seeded.ts';
import { Crash } from './crash-points.ts';
import { storeAt } from './store-at.ts';

const [, , data = '', address = '', name = '', point = '', nth = '', seed = ''] = process.argv;
const random = seeded(Number(seed));
const crash = new Crash(point, Number(nth), random);
const slot = name.split('-')[0] ?? '';
const work = join(data, `work-${slot}`);
const approver = { by: { id: 'alice', kind: 'human' } } as const;
const accounts = 12;
mkdirSync(work, { recursive: true });
if (!existsSync(join(work, '19')))
  for (let file = 0; file < 20; file += 1) writeFileSync(join(work, String(file)), 'original\n'.repeat(500));

function trace(file: string, line: string): void {
  appendFileSync(join(data, file), `${line}\n`);
}
async function act(effect: string, callId: string): Promise<string> {
  trace('effects', `${callId} ${effect}`);
  crash.at('effect');
  await wait(random() * 3);
  return 'done';
}

const tools = [
  defineTool({ name: 'look', description: 'Reads.', effect: 'read', run: () => 'seen' }),
  defineTool({ name: 'look_long', description: 'Reads slowly.', effect: 'read', run: () => wait(3, 'seen') }),
  defineTool({
    name: 'send',
    description: 'Leaves a trace outside.',
    effect: 'irreversible',
    input: { type: 'object', properties: { key: { type: 'string' } } } as const,
    run: ({ key }, { callId }) => act(String(key), callId),
  }),
  defineTool({
    name: 'pay',
    description: 'Asks first.',
    effect: 'irreversible',
    input: { type: 'object', properties: { account: { type: 'number' } } } as const,
    run: ({ account }, { callId }) => act(`account-${String(account)}`, callId),
  }),
  defineTool({
    name: 'write',
    description: 'Writes a file.',
    effect: 'undoable',
    workspace: [work],
    run: (_, { callId }) => {
      trace('effects', `${callId} ${callId}`);
      writeFileSync(join(work, String(Math.floor(random() * 20))), callId);
    },
  }),
  defineTool({
    name: 'order',
    description: 'Has an undo of its own.',
    run: (_, { callId }) => act(callId, callId),
    async undo(_, { callId }) {
      trace('cancelled', callId);
      crash.at('own undo');
      await wait(random() * 2);
    },
  }),
];
const box = await createSignalbox({
  data,
  store: crash.in(await storeAt(address, data)),
  servers: [localServer({ name: 't', tools })],
  policies: [
    ...['send', 'write', 'order'].map((tool) => ({ id: tool, match: `mcp__t__${tool}`, allow: true })),
    { id: 'pay', match: 'mcp__t__pay', ask: true },
  ],
});

/** Makes a call, and prints how it ended. */
async function call(tool: string, args: object = {}, idempotencyKey?: string): ReturnType<typeof box.call> {
  const result = await box.call(
    `mcp__t__${tool}`,
    args,
    idempotencyKey === undefined ? { waitMs: 0 } : { idempotencyKey },
  );
  if (idempotencyKey === undefined && result.outcome !== 'awaiting-approval')
    writeSync(1, `call ${result.callId} ${result.outcome}\n`);
  return result;
}

async function undo(callId: string): Promise<void> {
  crash.at('restoring', 8);
  const { outcome } = await box.undo.call(callId);
  writeSync(1, `${outcome} ${callId}\n`);
}

/** Repeats the keyed calls of earlier processes. */
async function deliverAgain(): Promise<void> {
  const keys = existsSync(join(data, 'keys')) ? readFileSync(join(data, 'keys'), 'utf8').trimEnd().split('\n') : [];
  for (const key of keys.slice(-12)) await call('send', { key }, key);
}

const loops: readonly (() => Promise<unknown>)[] = [
  () => call('look'),
  () => call('look_long'),
  (() => {
    let count = 0;
    return async () => {
      const key = `${name}-${(count += 1)}`;
      trace('keys', key);
      const deliveries = await Promise.all([call('send', { key }, key), call('send', { key }, key)]);
      // Another process may run the same call, which is reported as a conflict.
      for (const { outcome } of deliveries) if (outcome === 'completed') writeSync(1, `key ${key} ${outcome}\n`);
    };
  })(),
  async () => {
    // Makes the same calls in every process, so that one approves or runs the requests of another.
    const account = Math.floor(random() * accounts);
    const result = await call('pay', { account });
    if (!('approvalId' in result) || result.approvalId === undefined) return;
    const answered = await box.approvals.approve(result.approvalId, approver).catch(() => undefined);
    if (answered !== undefined) writeSync(1, `approved ${result.approvalId}\n`);
    await Promise.all([call('pay', { account }), call('pay', { account })]);
  },
  async () => {
    crash.at('checkpoint', 15);
    const { callId, outcome } = await call('write');
    if (outcome === 'completed' && random() < 0.5) await undo(callId);
  },
  async () => {
    const { callId, outcome } = await call('order');
    if (outcome === 'completed' && random() < 0.5) await undo(callId);
  },
];
writeSync(1, 'ready\n');
await Promise.all([
  deliverAgain(),
  ...loops.map(async (loop) => {
    for (;;) {
      await loop();
      // Without a wait, the other loops would never run.
      await wait(0);
    }
  }),
]);
