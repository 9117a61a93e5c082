/**
 * Makes calls of every kind while its store has room, has none, and has room again; checks everything it was told against the
 * record, and prints what it saw. Run by `disk-full.test.ts`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallResult, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { startPostgres } from '../support/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { type Room, failingWrites, filledDisk, limitedFiles } from './room.ts';
import { storeAt } from './store-at.ts';

const [, , way = '', kind = '', place = '', rounds = '', seed = ''] = process.argv;
const random = seeded(Number(seed));
const outside = mkdtempSync(join(tmpdir(), 'signalbox-starved-'));
const work = join(outside, 'work');
mkdirSync(work);
chmodSync(outside, 0o777);
const cluster =
  kind === 'PostgreSQL' ? await startPostgres({ parent: place, logDirectory: join(outside, 'log') }) : undefined;
const address = cluster?.address('starved') ?? '';
const ways: Record<string, () => Room> = {
  'a full disk': () => filledDisk(place),
  'a limit of file sizes': () => limitedFiles(join(place, 'signalbox.db-wal')),
  'failing writes': () => failingWrites(),
};
const room = ways[way]?.();
assert.ok(room !== undefined, way);

const effects: string[] = [];
const tools = [
  defineTool({ name: 'look', description: 'Reads.', effect: 'read', run: () => 'seen' }),
  defineTool({
    name: 'look_at_much',
    description: 'Reads a lot.',
    effect: 'read',
    run: () => String(random()).padEnd(18).repeat(2000),
  }),
  defineTool({
    name: 'act',
    description: 'Acts.',
    effect: 'irreversible',
    run: (_, { callId }) => void effects.push(callId),
  }),
  defineTool({
    name: 'write',
    description: 'Writes a file.',
    effect: 'undoable',
    workspace: [work],
    run(_, { callId }) {
      effects.push(callId);
      writeFileSync(join(work, 'file'), callId.repeat(2000));
    },
  }),
];
const box = await createSignalbox({
  data: place,
  store: await storeAt(address, place),
  servers: [localServer({ name: 't', tools })],
  policies: tools.map(({ name }) => ({ id: name, match: `mcp__t__${name}`, allow: true })),
});

const told: CallResult[] = [];
let longestErrorMs = 0;
let longestRecoveryMs = 0;
let keys = 0;
async function call(tool: string): Promise<CallResult> {
  const begun = performance.now();
  const withKey = tool === 'act' && random() < 0.3 ? { idempotencyKey: `key-${(keys += 1)}` } : {};
  const result = await box.call(`mcp__t__${tool}`, {}, withKey);
  told.push(result);
  if (result.outcome !== 'completed') longestErrorMs = Math.max(longestErrorMs, performance.now() - begun);
  return result;
}
const some = (count: number): Promise<CallResult[]> =>
  Promise.all(Array.from({ length: count }, () => call(tools[Math.floor(random() * tools.length)]?.name ?? '')));

await some(20);
let refused = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  room.take(random() * 60_000);
  const starved: CallResult[] = [];
  for (let burst = 0; burst < 12; burst += 1) starved.push(...(await some(1 + Math.floor(random() * 8))));
  room.giveBack();
  const began = performance.now();
  for (const { outcome, error } of starved) {
    if (outcome === 'completed') continue;
    refused += 1;
    assert.match(
      `${outcome} ${error?.code}`,
      /^(failed (journal-unavailable|checkpoint-failed)|unknown outcome-unrecorded)$/,
    );
    // What happened, where, and what to do; the checkpoints of undo tell it in Node's words.
    assert.match(
      error?.message ?? '',
      /(no room left on its disk|cannot be read or written|does not answer|E(NOSPC|FBIG|IO))/,
      error?.message,
    );
  }
  for (const { name } of tools)
    await until(async () => (await call(name)).outcome === 'completed', `${name} runs again (round ${round})`);
  longestRecoveryMs = Math.max(longestRecoveryMs, performance.now() - began);
  await some(Math.floor(random() * 60));
}

// Calls whose outcome could not be recorded get it a little later.
await until(
  async () => (await box.journal.calls({ limit: 1000 })).items.every(({ type }) => type === 'ToolInvoked'),
  'every call has an outcome',
);
const started = new Set<string>();
const ended = new Map<string, string>();
for await (const event of box.journal.stream()) {
  if (event.type === 'CallStarted') started.add(event.callId);
  if (event.type !== 'ToolInvoked') continue;
  assert.ok(!ended.has(event.callId), `${event.callId} has two outcomes`);
  ended.set(event.callId, event.outcome);
}
for (const effect of effects) assert.ok(started.has(effect), `${effect} acted without a recorded intent`);
assert.equal(new Set(effects).size, effects.length, 'nothing acted twice');
const acknowledged = told.filter(({ outcome }) => outcome === 'completed');
for (const { callId, tool } of acknowledged) assert.equal(ended.get(callId), 'completed', `${tool} ${callId}`);
for (const { callId, outcome, error } of told)
  if (error?.code === 'journal-unavailable' && !/ ran, but/.test(error.message))
    assert.ok(!effects.includes(callId), `${callId} ended as ${outcome}, and acted`);
assert.equal((await box.journal.verify()).ok, true);
await box.close();
// What was acknowledged is there for whoever comes next.
const next = await createSignalbox({ data: place, store: await storeAt(address, place) });
for (const { callId } of acknowledged.slice(-50)) assert.equal((await next.journal.call(callId))?.type, 'ToolInvoked');
assert.equal((await next.journal.verify()).ok, true);
await next.close();
await cluster?.end();
rmSync(outside, { recursive: true });
const unknown = [...ended.values()].filter((outcome) => outcome === 'unknown').length;
console.log(
  JSON.stringify({
    acknowledged: acknowledged.length,
    refused,
    unknown,
    longestErrorMs,
    recoveryMs: longestRecoveryMs,
  }),
);
