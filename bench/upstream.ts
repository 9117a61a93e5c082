/**
 * What Signalbox adds to a call of an external server: the whole pipeline with its journal on disk, against the bare client
 * of the MCP SDK, on the same server programs in one run.
 *
 *   npm run bench -- upstream
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type McpTransport, type Signalbox, createSignalbox, mcpServer } from '../src/index.ts';
import { fixtureProgram } from '../test/mcp-servers/programs.ts';
import { measure, printTable } from './support/measure.ts';

const rounds = 31;
const raw = 'SDK v2 client';
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

async function compare(title: string, calls: number, transport: McpTransport, client: Client): Promise<void> {
  const signalbox = await box(transport);
  for (const concurrency of [1, 32]) {
    const subjects = [
      {
        name: raw,
        calls: calls * (concurrency === 1 ? 1 : 4),
        run: (index: number) => client.callTool({ name: 'echo', arguments: { text: `call ${index}` } }),
      },
      {
        name: 'Signalbox',
        calls: calls * (concurrency === 1 ? 1 : 4),
        run: (index: number) => signalbox.call('mcp__bench__echo', { text: `call ${index}` }),
      },
    ];
    const [bare, ours] = await measure(subjects, concurrency, rounds);
    if (bare === undefined || ours === undefined) continue;
    printTable(`${title}, concurrency ${concurrency}`, [bare, ours], raw);
    console.log(`\nthroughput: ${((ours.perSecond / bare.perSecond) * 100).toFixed(0)} % of the bare client`);
  }
  await Promise.all([signalbox.close(), client.close()]);
}

try {
  for (const era of ['legacy', 'modern']) {
    const transport = fixtureProgram(era);
    const stdio = new StdioClientTransport({ command: transport.command, args: [...(transport.args ?? [])] });
    await compare(`stdio, ${era}`, 300, transport, await rawClient(stdio));
    const url = await httpServer(era);
    const client = await rawClient(new StreamableHTTPClientTransport(new URL(url)));
    await compare(`streamable HTTP, ${era}`, 100, { type: 'http', url }, client);
  }
} finally {
  for (const child of children) child.kill();
  for (const made of directories) rmSync(made, { recursive: true, force: true });
}
