import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
/** A server of MCP in a process of its own, which tells its parent how it fares. */
import { defineTool, localServer } from '../../src/index.ts';
import { startServer } from '../../src/server/start-server.ts';
import { token } from '../mcp-clients/serving.ts';

/** What the process tells when it is asked. */
export interface Fared {
  /** The most processor time, in milliseconds, for which nothing else got its turn since this was asked last. */
  readonly longestMs: number;
  readonly logged: readonly string[];
  /** How often the tool ran that asks first. */
  readonly paid: number;
}

const logged: string[] = [];
let paid = 0;
const tools = [
  defineTool({
    name: 'echo',
    description: 'Gives its text back.',
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
  // The question must still be open when thousands of wrong answers were given, however slow the machine is.
  limits: { approvalWaitMs: 600_000 },
});

/** Processor time, not time: on a busy machine a process may wait long for its turn through no fault of its own. */
const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longestMs = 0;
let last = spentMs();
setInterval(() => {
  const now = spentMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, 1);
process.on('message', () => {
  process.send?.({ longestMs, logged, paid } satisfies Fared);
  longestMs = 0;
});
process.on('disconnect', () => process.exit());
process.send?.(url);
