/**
 * What Signalbox adds to a call of an external server: the whole pipeline with its journal on disk, against the bare client
 * of the MCP SDK, on the same server programs in one run.
 *
 *   npm run bench -- upstream
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type McpTransport, type Signalbox, createSignalbox, mcpServer } from '../src/index.ts';
import { fixtureProgram } from '../test/mcp-servers/programs.ts';
import { measure, printTable } from './support/measure.ts';

const raw = 'SDK v2 client';
/** Our servers lead a session of their own, which Linux schedules apart: what that alone costs the bare client. */
const rawApart = 'SDK v2 client, server in a session of its own';
const setsid = '/usr/bin/setsid';
const children: ChildProcess[] = [];
const directories: string[] = [];

async function rawClient(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}

async function box(transport: McpTransport): Promise<Signalbox> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  directories.push(data);
  const server = mcpServer({ name: 'bench', transport });
  const made = await createSignalbox({ data, servers: [server] });
  await server.ready();
  return made;
}

async function httpServer(era: string): Promise<string> {
  const program = fileURLToPath(new URL('./support/http-program.ts', import.meta.url));
  const child = spawn(process.execPath, [program, era], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return url.toString().trim();
}

async function compare(
  title: string,
  calls: number,
  warmUpCalls: number,
  transport: McpTransport,
  client: Client,
  apart?: Client,
): Promise<void> {
  const signalbox = await box(transport);
  for (const [concurrency, each, measuring] of [
    // Both sides get faster for some ten thousand calls, until all of their code is compiled.
    [1, calls, { rounds: 200, warmUp: Math.ceil(warmUpCalls / calls), pauseMs: 5 }],
    [32, calls * 10, { rounds: 100, warmUp: 10, pauseMs: 20 }],
  ] as const) {
    const run = (from: Client) => (index: number) =>
      from.callTool({ name: 'echo', arguments: { text: `call ${index}` } });
    const subjects = [
      { name: raw, calls: each, run: run(client) },
      {
        name: 'Signalbox',
        calls: each,
        run: (index: number) => signalbox.call('mcp__bench__echo', { text: `call ${index}` }),
      },
      ...(apart === undefined ? [] : [{ name: rawApart, calls: each, run: run(apart) }]),
    ];
    const measured = await measure(subjects, { concurrency, ...measuring });
    const [bare, ours] = measured;
    if (bare === undefined || ours === undefined) continue;
    printTable(`${title}, concurrency ${concurrency}`, measured, raw);
    console.log(`\nthroughput: ${((ours.perSecond / bare.perSecond) * 100).toFixed(0)} % of the bare client`);
  }
  await Promise.all([signalbox.close(), client.close(), apart?.close()]);
}

try {
  for (const era of ['legacy', 'modern']) {
    const transport = fixtureProgram(era);
    const stdio = new StdioClientTransport({ command: transport.command, args: [...(transport.args ?? [])] });
    const apart = existsSync(setsid)
      ? new StdioClientTransport({ command: setsid, args: [transport.command, ...(transport.args ?? [])] })
      : undefined;
    const clients = [await rawClient(stdio), apart && (await rawClient(apart))] as const;
    await compare(`stdio, ${era}`, 30, 10_000, transport, ...clients);
    const url = await httpServer(era);
    const client = await rawClient(new StreamableHTTPClientTransport(new URL(url)));
    await compare(`streamable HTTP, ${era}`, 10, 1000, { type: 'http', url }, client);
  }
} finally {
  for (const child of children) child.kill();
  for (const made of directories) rmSync(made, { recursive: true, force: true });
}
