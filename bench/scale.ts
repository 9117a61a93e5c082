/**
 * Measures the calls per second with 1, 2 and 4 servers on one PostgreSQL, with policy and journal, real processes and a real
 * disk. Reports the bottlenecks: the processor time of each part, the flushes of the log, and the wait events of the database
 * connections.
 *
 *   npm run bench -- scale
 */
import { availableParallelism } from 'node:os';
import { load } from './support/scale/load.ts';
import { type Replica, startReplicas } from './support/scale/replicas.ts';
import { DatabaseFigures } from './support/scale/database-figures.ts';
import { processorTime } from './support/gateway/process-figures.ts';
import { spreadOf } from './support/measure.ts';
import { storeFigure } from './support/results.ts';
import { startPostgres } from '../test/support/postgres/postgres.ts';

/** `--quick` is a smoke test. */
const isQuick = process.argv.includes('--quick');
const {
  replicas: counts,
  seconds,
  warmUpSeconds,
} = isQuick
  ? { replicas: [1, 2], seconds: 0.5, warmUpSeconds: 0.2 }
  : { replicas: [1, 2, 4], seconds: 8, warmUpSeconds: 3 };
const inFlight = 16;
const kinds = [
  { name: 'reads', tool: 'mcp__bench__look' },
  { name: 'calls with an effect', tool: 'mcp__bench__act' },
] as const;
const cores = availableParallelism();

interface Row {
  readonly replicas: number;
  readonly perSecond: number;
  readonly spread: readonly [number, number];
  readonly p50: number;
  readonly p99: number;
  readonly own: number;
  readonly database: number;
  readonly client: number;
  readonly flushes: number;
  readonly walBytes: number;
  readonly limit: string;
}

async function measureLoad(replicas: readonly Replica[], tool: string, figures: DatabaseFigures): Promise<Row> {
  await load(replicas, tool, inFlight, warmUpSeconds);
  const own = (): number => replicas.reduce((sum, { pid }) => sum + processorTime(pid), 0);
  const before = { own: own(), client: process.cpuUsage(), database: await figures.take() };
  figures.startSampling();
  const { calls, durationMs, p50, p99, perSecond } = await load(replicas, tool, inFlight, seconds);
  const waits = await figures.stopSampling();
  const database = await figures.take();
  const client = process.cpuUsage(before.client);
  const ownMs = (own() - before.own) / 1000;
  const databaseMs = (database.processorTime - before.database.processorTime) / 1000;
  const clientMs = (client.user + client.system) / 1000;
  const busy = (ownMs + databaseMs + clientMs) / (durationMs * cores);
  return {
    replicas: replicas.length,
    perSecond: (calls / durationMs) * 1000,
    spread: spreadOf(perSecond),
    p50,
    p99,
    own: (ownMs / calls) * 1000,
    database: (databaseMs / calls) * 1000,
    client: (clientMs / calls) * 1000,
    flushes: (database.flushes - before.database.flushes) / calls,
    walBytes: (database.walBytes - before.database.walBytes) / calls,
    limit: `${Math.round(busy * 100)} % of ${cores} cores; ${waits}`,
  };
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const rows = new Map<string, Row[]>(kinds.map(({ name }) => [name, []]));
const cluster = await startPostgres({ durable: true });
try {
  for (const count of counts) {
    const address = cluster.address(`scale_${count}`);
    const replicas = await startReplicas(count, address);
    const figures = await DatabaseFigures.open(address);
    try {
      for (const { name, tool } of kinds) rows.get(name)?.push(await measureLoad(replicas, tool, figures));
    } finally {
      await figures.close();
      await Promise.all(replicas.map((replica) => replica.stop()));
    }
  }
} finally {
  await cluster.end();
}
for (const [name, measurements] of rows) {
  const title = `${name}, ${inFlight} at a time for each server`;
  const bars = measurements.map(({ replicas, perSecond, spread }) => ({
    name: `${replicas} ${replicas === 1 ? 'server' : 'servers'}`,
    value: perSecond,
    spread,
  }));
  storeFigure({ title, unit: 'calls/s', isMoreBetter: true, bars });
  console.log(`\n### ${title}\n`);
  console.log(
    '| servers | calls/s | p50 ms | p99 ms | CPU µs: server | database | client | flushes per call | log bytes per call | wait events |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const row of measurements)
    console.log(
      `| ${row.replicas} | ${number(row.perSecond)} | ${number(row.p50, 1)} | ${number(row.p99, 1)} | ${number(row.own)} | ${number(row.database)} | ${number(row.client)} | ${number(row.flushes, 2)} | ${number(row.walBytes)} | ${row.limit} |`,
    );
}
