import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
/** A server under pressure in a process of its own, which tells its parent how it fares. */
import { setFlagsFromString } from 'node:v8';
import { setTimeout as wait } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { defineTool, localServer } from '../../src/index.ts';
import { createPrometheusMetrics } from '../../src/server/metrics/prometheus-metrics.ts';
import { startServer } from '../../src/server/start-server.ts';
import { token } from '../mcp-clients/serving.ts';

/** What the process is asked: how it fares, or to make calls of such a size. */
export type Pressing =
  | { readonly ask: 'fare' }
  | { readonly ask: 'call'; readonly times: number; readonly bytes: number };

/** What the process tells. */
export interface Pressed {
  /** What is held, in bytes, after what is not needed any more was let go. */
  readonly held: number;
  readonly rss: number;
  /** Processor time so far, in milliseconds. */
  readonly spentMs: number;
  readonly logged: readonly string[];
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const workMs = Number(process.env['WORK_MS'] ?? 0);
const tools = [
  defineTool({
    name: 'echo',
    description: 'Gives its text back.',
    input: { type: 'object', properties: { text: { type: 'string' } } } as const,
    effect: 'read',
    run: ({ text = '' }) => text.length,
  }),
  defineTool({
    name: 'work',
    description: 'Takes a while.',
    input: { type: 'object' },
    effect: 'read',
    run: async () => {
      await wait(workMs);
      return 'done';
    },
  }),
  defineTool({
    name: 'chat',
    description: 'Tells of its progress at length.',
    input: { type: 'object' },
    effect: 'read',
    run: async (_args, { progress }) => {
      for (let step = 1; step <= 2000; step += 1) {
        progress({ progress: step, message: `${step} ${'x'.repeat(2500)}` });
        if (step % 50 === 0) await wait(1);
      }
      return 'said';
    },
  }),
];
const logged: string[] = [];
const metrics = createPrometheusMetrics();
const box = await openSignalbox({
  servers: [localServer({ name: 'fixture', tools, concurrency: Number(process.env['CONCURRENCY'] ?? 64) })],
  metrics: metrics.metrics,
  approve: () => ({ allow: true }),
});
const { url } = await startServer({
  box,
  host: '127.0.0.1',
  port: 0,
  token,
  metrics,
  log: (line) => void logged.push(line),
  limits: {
    ...(process.env['CALLS'] === undefined ? {} : { calls: Number(process.env['CALLS']) }),
    ...(process.env['CALLS'] === undefined ? {} : { callsOfOne: Number(process.env['CALLS']) }),
  },
});

process.on('message', (asked: Pressing) => void answer(asked));
process.on('disconnect', () => process.exit());
process.send?.(url);

async function answer(asked: Pressing): Promise<void> {
  if (asked.ask === 'call') {
    const text = 'x'.repeat(asked.bytes);
    for (let time = 0; time < asked.times; time += 1) {
      await box.call('mcp__fixture__echo', { text: `${time} ${text}` });
      if (time % 20 === 0) await wait(1);
    }
  }
  // What finalizers let go is gone with the second.
  collect();
  await wait(20);
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send?.({ held: heapUsed + external, rss, spentMs: (user + system) / 1000, logged } satisfies Pressed);
}
