/** An MCP server in a separate process, which reports its health to its parent. */
import { defineTool, localServer } from '../../src/index.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { startServer } from '../../src/server/start-server.ts';
import { token } from '../mcp-clients/serving.ts';

/** The health of the process. */
export interface ProcessHealth {
  /** The longest processor time, in milliseconds, that blocked the event loop since the last report. */
  readonly longestMs: number;
  readonly logged: readonly string[];
  /** The number of runs of the tool that asks first. */
  readonly paid: number;
}

const logged: string[] = [];
let paid = 0;
const tools = [
  defineTool({
    name: 'echo',
    description: 'Returns its text.',
    input: { type: 'object', properties: { text: { type: 'string' } } } as const,
    effect: 'read',
    run: ({ text = '' }) => text,
  }),
  defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    effect: 'irreversible',
    run: () => `paid ${(paid += 1)}`,
  }),
];
const box = await openSignalbox({
  servers: [localServer({ name: 'fixture', tools })],
  profiles: { trusting: { trustsHuman: true } },
});
const { url } = await startServer({
  box,
  host: '127.0.0.1',
  port: 0,
  token,
  log: (line) => void logged.push(line),
  // The request must still be open after thousands of wrong answers, however slow the machine is.
  limits: { approvalWaitMs: 600_000 },
});

/** Returns the processor time, which unlike the clock does not depend on other processes. */
const cpuTimeMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longestMs = 0;
let last = cpuTimeMs();
setInterval(() => {
  const now = cpuTimeMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, 1);
process.on('message', () => {
  process.send?.({ longestMs, logged, paid } satisfies ProcessHealth);
  longestMs = 0;
});
process.on('disconnect', () => process.exit());
process.send?.(url);
