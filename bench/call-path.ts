/**
 * Counts the files and functions of `src/` that run during one warm `tools/call`, from the request at `/mcp` to its response.
 *
 *   npm run bench -- call-path
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSignalbox, mcpServer } from '../src/index.ts';
import { createServer } from '../src/server/index.ts';
import { programAt } from './support/gateway/gateways.ts';
import { LeanClient } from './support/gateway/lean-client.ts';
import { startProgram, stopPrograms } from './support/start-program.ts';

const source = new URL('../src/', import.meta.url).href;
const program = programAt('bench/support/gateway/echo-program.ts');
const warmUpCalls = 200;
const repetitions = 5;
const policies = [
  { id: 'no-keys', match: 'mcp__*', deny: "has(args.text) && args.text.contains('BEGIN PRIVATE KEY')" },
];

interface Count {
  readonly files: number;
  readonly functions: number;
}

/** Counts what ran during some work. The smallest of several counts, because timers of other work may run meanwhile. */
async function countDuring(work: () => Promise<unknown>): Promise<Count> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counts: Count[] = [];
  for (let round = 0; round < repetitions; round += 1) {
    await wait(2000);
    await inspector.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(source))
      .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
      .filter((functions) => functions > 0);
    counts.push({ files: ran.length, functions: ran.reduce((sum, each) => sum + each, 0) });
  }
  inspector.disconnect();
  return counts.reduce((least, each) => (each.functions < least.functions ? each : least));
}

async function countCall(
  transport: Parameters<typeof mcpServer>[0]['transport'],
  options: { readonly policies?: typeof policies },
): Promise<Count> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const box = await createSignalbox({ data, servers: [mcpServer({ name: 'bench', transport })], ...options });
  const server = await createServer(box, { port: 0 });
  const client = await LeanClient.open({
    port: Number(new URL(server.url).port),
    path: '/mcp',
    transport: 'streamable',
    token: server.token,
  });
  for (let call = 0; call < warmUpCalls; call += 1) await client.call(`warm-up ${call}`);
  const count = await countDuring(() => client.call('counted'));
  client.close();
  await server.close();
  await box.close();
  rmSync(data, { recursive: true, force: true });
  return count;
}

const stdio = { type: 'stdio', command: process.execPath, args: [program, '1'] } as const;
const http = { type: 'http', url: await startProgram(program, '1', 'http') } as const;
console.log('| one call to | files | functions |\n|---|---|---|');
for (const [name, transport, options] of [
  ['a stdio server', stdio, {}],
  ['a stdio server, with a rule', stdio, { policies }],
  ['an HTTP server', http, {}],
  ['an HTTP server, with a rule', http, { policies }],
] as const) {
  const { files, functions } = await countCall(transport, options);
  console.log(`| ${name} | ${files} | ${functions} |`);
}
stopPrograms();
