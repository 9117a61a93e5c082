/** A server under load in a separate process, which reports its memory to its parent. */
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { setFlagsFromString } from 'node:v8';
import { setTimeout as wait } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { defineTool, localServer } from '../../src/index.ts';
import { createPrometheusMetrics } from '../../src/server/metrics/prometheus-metrics.ts';
import { startServer } from '../../src/server/start-server.ts';
import { token } from '../mcp-clients/serving.ts';

/** A request to the process: to measure, or to make calls of this size first. */
export type LoadRequest =
  | { readonly ask: 'measure' }
  | { readonly ask: 'call'; readonly times: number; readonly bytes: number };

/** The response of the process. */
export interface LoadReport {
  /** The memory that is held after garbage collection, in bytes. */
  readonly heldBytes: number;
  readonly rss: number;
  /** The processor time so far, in milliseconds. */
  readonly spentMs: number;
  readonly logged: readonly string[];
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const workMs = Number(process.env['WORK_MS'] ?? 0);
const tools = [
  defineTool({
    name: 'echo',
    description: 'Returns the length of its text.',
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
    description: 'Reports long progress.',
    input: { type: 'object' },
    effect: 'read',
    run: async (_args, { progress }) => {
      for (let step = 1; step <= 2000; step += 1) {
        progress({ progress: step, message: `${step} ${'x'.repeat(2500)}` });
        if (step % 50 === 0) await wait(1);
      }
      return 'reported';
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

process.on('message', (request: LoadRequest) => void answer(request));
process.on('disconnect', () => process.exit());
process.send?.(url);

async function answer(request: LoadRequest): Promise<void> {
  if (request.ask === 'call') {
    const text = 'x'.repeat(request.bytes);
    for (let time = 0; time < request.times; time += 1) {
      await box.call('mcp__fixture__echo', { text: `${time} ${text}` });
      if (time % 20 === 0) await wait(1);
    }
  }
  // The second collection frees the memory of finalizers.
  collectGarbage();
  await wait(20);
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const report = { heldBytes: heapUsed + external, rss, spentMs: (user + system) / 1000, logged };
  process.send?.(report satisfies LoadReport);
}
