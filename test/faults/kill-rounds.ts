import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type JournalEvent, type Signalbox, createSignalbox } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { reportScenario } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { crashPoints } from './crash-points.ts';
import { runProgram } from './run-and-kill.ts';
import { storeAt } from './store-at.ts';

const program = fileURLToPath(new URL('./killed-process.ts', import.meta.url));
const concurrency = 2;

/** Kills processes that share a store, at every named point and at random, and checks the resulting records. */
export async function killRounds(t: TestContext, store: string, address: string, rounds: number): Promise<void> {
  const data = createMemoryDirectory('kills');
  t.after(() => rmSync(data, { recursive: true }));
  await (await storeAt(address, data)).close();
  const random = seeded(runSeed);
  const printed: string[] = [];
  let next = 0;
  const killRepeatedly = async (slot: number): Promise<void> => {
    while (next < rounds) {
      const round = next++;
      const point = crashPoints[round % crashPoints.length] ?? '';
      const nth = 1 + Math.floor(random() * 4);
      const args = [data, address, `${slot}-${round}`, point, String(nth), String(Math.floor(random() * 1e6))];
      const options = point === 'at random' ? { killAfterMs: random() * 200, at: /ready\n/ } : {};
      const { code, signal, output } = await runProgram(program, args, options);
      assert.equal(signal, 'SIGKILL', `round ${round}, ${point}: the program exited with ${code} (seed ${runSeed})`);
      // Text after the last line break is incomplete.
      printed.push(...output.split('\n').slice(0, -1));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, slot) => killRepeatedly(slot)));

  const box = await openSettledBox(address, data);
  const records = await readRecords(box);
  const acknowledged = checkPrinted(records, printed);
  const duplicates = checkEffects(records, data);
  for (const call of records.started) {
    const outcome = records.ended.get(call)?.outcome ?? 'none';
    assert.ok(['completed', 'failed', 'unknown'].includes(outcome), `${call} ended as ${outcome} (seed ${runSeed})`);
  }
  const unknown = [...records.ended.values()].filter(({ outcome }) => outcome === 'unknown').length;
  assert.ok(unknown > rounds / 4, `only ${unknown} calls were interrupted: the test shows little`);
  assert.ok(acknowledged > rounds, `only ${acknowledged} answers were printed: the test shows little`);
  const verified = await box.journal.verify();
  assert.ok(verified.ok, JSON.stringify(verified));
  await box.close();
  reportScenario(t, {
    scenario: `kill -9, ${store}, ${crashPoints.length} points`,
    rounds,
    acknowledged,
    lost: 0,
    duplicates,
    unknown,
  });
}

/** Opens a box that has settled every call of the dead processes: the database may detect the last death a moment later. */
async function openSettledBox(address: string, data: string): Promise<Signalbox> {
  let box: Signalbox | undefined;
  await until(async () => {
    await box?.close();
    box = await createSignalbox({ data, store: await storeAt(address, data) });
    const open = await box.journal.calls({ limit: 1000 });
    return open.items.every(({ type }) => type === 'ToolInvoked');
  }, 'every call of a dead process has its outcome');
  assert.ok(box !== undefined);
  return box;
}

interface Records {
  readonly started: ReadonlySet<string>;
  readonly ended: ReadonlyMap<string, JournalEvent & { readonly type: 'ToolInvoked' }>;
  readonly undone: ReadonlyMap<string, string>;
  /** The outcomes of calls with a key, by the key. */
  readonly byKey: ReadonlyMap<string, string>;
  readonly approved: ReadonlySet<string>;
  /** The account of the approval that a call has used. */
  readonly used: ReadonlyMap<string, number>;
}

async function readRecords(box: Signalbox): Promise<Records> {
  const started = new Set<string>();
  const ended = new Map<string, JournalEvent & { type: 'ToolInvoked' }>();
  const undone = new Map<string, string>();
  const byKey = new Map<string, string>();
  const approved = new Set<string>();
  for await (const event of box.journal.stream()) {
    if (event.type === 'CallStarted') started.add(event.callId);
    if (event.type === 'Undone') undone.set(event.callId, event.result);
    if (event.type === 'ApprovalResolved' && event.decision === 'approved') approved.add(event.approvalId);
    if (event.type !== 'ToolInvoked') continue;
    assert.ok(!ended.has(event.callId), `${event.callId} has two outcomes (seed ${runSeed})`);
    ended.set(event.callId, event);
    if (event.idempotencyKey !== undefined && started.has(event.callId)) byKey.set(event.idempotencyKey, event.outcome);
  }
  const approvals = await box.approvals.list({ all: true, limit: 1_000_000 });
  const used = new Map(
    approvals.flatMap(({ usedBy, arguments: args }) =>
      usedBy === undefined ? [] : [[usedBy, Number((args as { account?: unknown }).account)] as const],
    ),
  );
  return { started, ended, undone, byKey, approved, used };
}

/** Asserts that every printed answer is in the records; returns their number. */
function checkPrinted({ ended, undone, byKey, approved }: Records, printed: readonly string[]): number {
  let count = 0;
  for (const line of printed) {
    const [kind = '', id = '', outcome] = line.split(' ');
    if (kind === 'ready') continue;
    count += 1;
    if (kind === 'call') assert.equal(ended.get(id)?.outcome, outcome, `${line} (seed ${runSeed})`);
    else if (kind === 'key') assert.equal(byKey.get(id), outcome, `${line} (seed ${runSeed})`);
    else if (kind === 'approved') assert.ok(approved.has(id), `${line} (seed ${runSeed})`);
    else assert.equal(undone.get(id), kind, `${line} (seed ${runSeed})`);
  }
  return count;
}

/** Asserts that no effect has no recorded intent, and none happened twice for a call, a key or a used approval. Returns 0. */
function checkEffects({ started, used }: Records, data: string): number {
  const effects = lines(join(data, 'effects')).map((line) => line.split(' ') as [call: string, trace: string]);
  const cancelled = lines(join(data, 'cancelled'));
  for (const [call, trace] of effects) {
    assert.ok(started.has(call), `${call} acted without a recorded intent (seed ${runSeed})`);
    const account = /^account-(\d+)$/.exec(trace)?.[1];
    if (account !== undefined) assert.equal(used.get(call), Number(account), `${call} (seed ${runSeed})`);
  }
  const once = effects.filter(([, trace]) => !trace.startsWith('account-')).map(([, trace]) => trace);
  const duplicates = [effects.map(([call]) => call), once, cancelled].map((list) => list.length - new Set(list).size);
  assert.deepEqual(duplicates, [0, 0, 0], `calls, keys and undos that acted twice (seed ${runSeed})`);
  return 0;
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}
