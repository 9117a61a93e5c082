/**
 * Makes calls of every kind while its store can write, cannot, and can again. Compares all results with the records, and prints a summary. Started
 * by `disk-full.test.ts`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallResult, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { type DiskFault, failingWrites, fileSizeLimit, fullDisk } from './disk-faults.ts';
import { storeAt } from './store-at.ts';

const [, , faultName = '', kind = '', data = '', rounds = '', seed = ''] = process.argv;
const random = seeded(Number(seed));
const outside = mkdtempSync(join(tmpdir(), 'signalbox-starved-'));
const work = join(outside, 'work');
mkdirSync(work);
chmodSync(outside, 0o777);
const cluster =
  kind === 'PostgreSQL' ? await startPostgres({ parent: data, logDirectory: join(outside, 'log') }) : undefined;
const address = cluster?.address('starved') ?? '';
const faults: Record<string, () => DiskFault> = {
  'a full disk': () => fullDisk(data),
  'a limit of file sizes': () => fileSizeLimit(join(data, 'signalbox.db-wal')),
  'failing writes': () => failingWrites(),
};
const fault = faults[faultName]?.();
assert.ok(fault !== undefined, faultName);

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
  data,
  store: await storeAt(address, data),
  servers: [localServer({ name: 't', tools })],
  policies: tools.map(({ name }) => ({ id: name, match: `mcp__t__${name}`, allow: true })),
});

const results: CallResult[] = [];
let longestErrorMs = 0;
let longestRecoveryMs = 0;
let keys = 0;
async function call(tool: string): Promise<CallResult> {
  const started = performance.now();
  const withKey = tool === 'act' && random() < 0.3 ? { idempotencyKey: `key-${(keys += 1)}` } : {};
  const result = await box.call(`mcp__t__${tool}`, {}, withKey);
  results.push(result);
  if (result.outcome !== 'completed') longestErrorMs = Math.max(longestErrorMs, performance.now() - started);
  return result;
}
const callMany = (count: number): Promise<CallResult[]> =>
  Promise.all(Array.from({ length: count }, () => call(tools[Math.floor(random() * tools.length)]?.name ?? '')));

await callMany(20);
let refused = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  fault.begin(random() * 60_000);
  const starved: CallResult[] = [];
  for (let burst = 0; burst < 12; burst += 1) starved.push(...(await callMany(1 + Math.floor(random() * 8))));
  fault.end();
  const recoveredAt = performance.now();
  for (const { outcome, error } of starved) {
    if (outcome === 'completed') continue;
    refused += 1;
    assert.match(
      `${outcome} ${error?.code}`,
      /^(failed (journal-unavailable|checkpoint-failed)|unknown outcome-unrecorded)$/,
    );
    // The message names the failure, the place and the next step; errors of undo checkpoints contain the message of Node.
    assert.match(
      error?.message ?? '',
      /(no disk space left|cannot be read or written|does not respond|E(NOSPC|FBIG|IO))/,
      error?.message,
    );
  }
  for (const { name } of tools)
    await until(async () => (await call(name)).outcome === 'completed', `${name} runs again (round ${round})`);
  longestRecoveryMs = Math.max(longestRecoveryMs, performance.now() - recoveredAt);
  await callMany(Math.floor(random() * 60));
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
const acknowledged = results.filter(({ outcome }) => outcome === 'completed');
for (const { callId, tool } of acknowledged) assert.equal(ended.get(callId), 'completed', `${tool} ${callId}`);
for (const { callId, outcome, error } of results)
  if (error?.code === 'journal-unavailable' && !/ ran, but/.test(error.message))
    assert.ok(!effects.includes(callId), `${callId} ended as ${outcome}, and acted`);
assert.equal((await box.journal.verify()).ok, true);
await box.close();
// A later process finds everything that was acknowledged.
const next = await createSignalbox({ data, store: await storeAt(address, data) });
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
