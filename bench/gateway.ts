/**
 * Compares gateways in front of the same server: Signalbox with policy and journal, a minimal pass-through gateway, a simple
 * gateway on the SDK, and other products. All of them use the same lightweight client.
 *
 *   npm run bench -- gateway
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  type Behind,
  type Gateway,
  type RunningGateway,
  passThrough,
  peerGateways,
  programAt,
  sdkGateway,
  signalbox,
  signalboxStateless,
  startGateway,
} from './support/gateway/gateways.ts';
import { installPeers } from './support/gateway/install-peers.ts';
import { processorTime, residentMegabytes } from './support/gateway/process-figures.ts';
import { type Row, bestPeer, printRows, printGoals } from './support/gateway/tables.ts';
import { type Measurement, type Subject, measure, median, ratioOf, throughputOf } from './support/measure.ts';
import { startProgram, stopPrograms } from './support/start-program.ts';

/** `--quick` is a smoke test: few calls, without other products. */
const isQuick = process.argv.includes('--quick');
const scale = isQuick
  ? { rounds: 1, warmUp: 50, many: 64, few: 10, lists: 2, starts: 1 }
  : { rounds: 25, warmUp: 30_000, many: 1500, few: 300, lists: 5, starts: 11 };
const gateways: readonly Gateway[] = [
  passThrough,
  signalbox,
  sdkGateway,
  ...(isQuick ? [] : [signalboxStateless, ...peerGateways(installPeers())]),
];
const peers = gateways.filter(({ isPeer }) => isPeer).map(({ name }) => name);
const raw = 'no gateway, SDK v2 client on stdio';
const program = programAt('bench/support/gateway/echo-program.ts');
const filler = 'x'.repeat(94);
const stdioServer = (tools: number): Behind => ({ command: process.execPath, args: [program, String(tools)] });

/** Returns a unique text of 100 bytes. */
const textOf = (index: number): string => filler + String(index % 1_000_000).padStart(6, '0');

/** Starts gateways in front of a server for the duration of some work. */
async function withGateways<Value>(
  chosen: readonly Gateway[],
  behind: Behind,
  work: (running: readonly RunningGateway[]) => Promise<Value>,
): Promise<Value> {
  const running: RunningGateway[] = [];
  try {
    for (const gateway of chosen) running.push(await startGateway(gateway, behind));
    return await work(running);
  } finally {
    await Promise.all(running.map((each) => each.stop()));
  }
}

/** Makes unmeasured calls first, until the JIT compilers are done. */
async function warmUp(running: readonly RunningGateway[]): Promise<void> {
  for (const { client } of running) {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < scale.warmUp) await client.call(textOf(next++));
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  }
}

/** Calls through all gateways in turn. The processor time of each gateway is divided by its own calls. */
async function calls(
  running: readonly RunningGateway[],
  others: readonly Subject[],
  concurrency: number,
  each: number,
): Promise<{ readonly measured: readonly Measurement[]; readonly rows: readonly Row[] }> {
  const before = running.map(({ pid }) => processorTime(pid));
  const subjects = running.map(({ name, client }) => ({
    name,
    calls: each,
    run: (index: number) => client.call(textOf(index)),
  }));
  const measured = await measure([...others, ...subjects], { concurrency, rounds: scale.rounds });
  const rows = measured.map((measurement, index): Row => {
    const { pid } = running[index - others.length] ?? {};
    if (pid === undefined) return { measurement };
    const used = processorTime(pid) - (before[index - others.length] ?? Number.NaN);
    return {
      measurement,
      processorUs: used / (each * (scale.rounds + 1)),
      megabytes: residentMegabytes(pid),
    };
  });
  return { measured, rows };
}

interface Figures {
  readonly best: Measurement | undefined;
  readonly base: Measurement;
  readonly ours: Measurement;
}

/** Returns the measurements to compare: ours, the baseline and the best peer. */
function figuresOf(
  measured: readonly Measurement[],
  isBetter: (one: Measurement, other: Measurement) => boolean,
): Figures {
  const named = (name: string): Measurement => {
    const found = measured.find((each) => each.name === name);
    if (found === undefined) throw new Error(`${name} was not measured`);
    return found;
  };
  return { best: bestPeer(measured, peers, isBetter), base: named(passThrough.name), ours: named(signalbox.name) };
}

const faster = (one: Measurement, other: Measurement): boolean => one.perSecond > other.perSecond;
const sooner = (one: Measurement, other: Measurement): boolean => one.p50 < other.p50;

async function stdioSeries(): Promise<void> {
  await withGateways(gateways, stdioServer(1), async (running) => {
    const client = new Client({ name: 'bench', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, '1'] }));
    const run = (index: number): unknown => client.callTool({ name: 'echo', arguments: { text: textOf(index) } });
    await warmUp(running);

    const many = await calls(running, [{ name: raw, calls: scale.many, run }], 32, scale.many);
    const { best, base, ours } = figuresOf(many.measured, faster);
    printRows('stdio server, 32 at a time', many.rows, { best, base, ratio: throughputOf });
    printGoals([
      ['calls/s against the best peer', best && throughputOf(ours, best), 'at least', 2],
      ['calls/s against the pass-through', throughputOf(ours, base), 'at least', 0.6],
    ]);

    const few = await calls(running, [{ name: raw, calls: scale.few, run }], 1, scale.few);
    const alone = figuresOf(few.measured, sooner);
    printRows('stdio server, one at a time', few.rows, { ...alone, ratio: ratioOf });
    printGoals([
      ['p50 against the best peer', alone.best && ratioOf(alone.ours, alone.best), 'at most', 1],
      ['p50 against the pass-through', ratioOf(alone.ours, alone.base), 'at most', 1.3],
    ]);
    await client.close();

    const memoryOf = (name: string): number => residentMegabytes(running.find((each) => each.name === name)?.pid ?? 0);
    printGoals([
      ['MB more than the pass-through', memoryOf(signalbox.name) - memoryOf(passThrough.name), 'at most', 40],
    ]);
  });
}

/** A server with answers as event streams does most of the work itself, so its goals are lower. */
async function httpSeries(): Promise<void> {
  const streaming = await startProgram(programAt('bench/support/gateway/sdk-server-program.ts'));
  await httpCalls('HTTP server of the SDK, event streams, 32 at a time', streaming, { peer: 1.5, base: 0.6 });
  const plain = await startProgram(program, '1', 'http');
  await httpCalls('HTTP server, JSON, 32 at a time', plain, { peer: 4, base: 0.6 });
}

/** Measures calls to one HTTP server. `goals`: the least ratios of calls per second to the best peer and to the pass-through. */
async function httpCalls(
  title: string,
  url: string,
  goals: { readonly peer: number; readonly base: number },
): Promise<void> {
  const chosen = gateways.filter(({ supportsHttp }) => supportsHttp);
  await withGateways(chosen, { url }, async (running) => {
    await warmUp(running);
    const { measured, rows } = await calls(running, [], 32, scale.many);
    const { best, base, ours } = figuresOf(measured, faster);
    printRows(title, rows, { best, base, ratio: throughputOf });
    printGoals([
      ['calls/s against the best peer', best && throughputOf(ours, best), 'at least', goals.peer],
      ['calls/s against the pass-through', throughputOf(ours, base), 'at least', goals.base],
    ]);
  });
}

async function listSeries(): Promise<void> {
  await withGateways(gateways, stdioServer(1000), async (running) => {
    const subjects = running.map(({ name, client }) => ({ name, calls: scale.lists, run: () => client.list() }));
    const measured = await measure(subjects, { concurrency: 1, rounds: scale.rounds });
    const { best, base, ours } = figuresOf(measured, sooner);
    const rows = measured.map((measurement): Row => ({ measurement }));
    printRows('tools/list of 1,000 tools, one at a time', rows, { best, base, ratio: ratioOf });
    printGoals([['p50 of the best peer against ours', best && ratioOf(best, ours), 'at least', 5]]);
  });
}

/** Returns the time until the first list of the server without a gateway. */
async function ownStart(): Promise<number> {
  const started = performance.now();
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, '1'] }));
  await client.listTools();
  const durationMs = performance.now() - started;
  await client.close();
  return durationMs;
}

async function startSeries(): Promise<void> {
  const times = new Map<string, number[]>(
    ['the server itself', ...gateways.map(({ name }) => name)].map((name) => [name, []]),
  );
  for (let round = 0; round < scale.starts; round += 1) {
    times.get('the server itself')?.push(await ownStart());
    for (const gateway of gateways)
      await withGateways([gateway], stdioServer(1), async ([running]) => {
        times.get(gateway.name)?.push(running?.startedInMs ?? Number.NaN);
      });
  }
  console.log(
    '\n### Start to the first tools/list with the server’s tools, ms\n\n| | median | of all |\n|---|---|---|',
  );
  for (const [name, each] of times)
    console.log(`| ${name} | ${median(each).toFixed(0)} | ${each.map((ms) => ms.toFixed(0)).join(', ')} |`);
  const ours = times.get(signalbox.name) ?? [];
  const added = ours.map((ms, round) => ms - (times.get('the server itself')?.[round] ?? Number.NaN));
  printGoals([['ms more than the server itself', median(added), 'at most', 150]]);
}

try {
  await stdioSeries();
  await httpSeries();
  await listSeries();
  await startSeries();
} finally {
  stopPrograms();
}
