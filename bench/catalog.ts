/**
 * Measures a large catalog: 50 MCP servers with 200 tools each, over HTTP, in a separate process. Compares the cost of a listing,
 * a call and a changed list with plain clients of the MCP SDK, and reports the memory of an idle server in this process.
 *
 *   npm run bench -- catalog
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Signalbox, createSignalbox, mcpServer } from '../src/index.ts';
import { programAt } from './support/gateway/gateways.ts';
import { durationOf, measure, median, printTable } from './support/measure.ts';
import { startProgram, stopPrograms } from './support/start-program.ts';

const servers = 50;
const tools = 200;
const rounds = 7;
const raw = 'SDK v2 client';
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Starts a process with a number of servers, and returns their URLs. */
async function startServers(count: number, toolsEach: number): Promise<string[]> {
  const url = await startProgram(programAt('bench/support/catalog-program.ts'), String(count), String(toolsEach));
  return Array.from({ length: count }, (_, index) => `${url}/${index}`);
}

/** Mounts a server for each address, numbered from `first`. Resolves when all have listed their tools. */
async function mount(box: Signalbox, urls: readonly string[], first = 0): Promise<void> {
  const mounted = urls.map((url, index) => mcpServer({ name: `s${first + index}`, transport: { type: 'http', url } }));
  for (const server of mounted) box.servers.add(server);
  await Promise.all(mounted.map((server) => server.ready()));
}

async function rawClient(url: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function settledMemory(): Promise<{ heap: number; rss: number }> {
  for (let round = 0; round < 5; round += 1) {
    await wait(300);
    collectGarbage();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: (heapUsed + external) / 2 ** 20, rss: rss / 2 ** 20 };
}

function row(subject: string, ours: number, direct: number, unit = 'ms'): void {
  console.log(
    `| ${subject} | ${ours.toFixed(2)} ${unit} | ${direct.toFixed(2)} ${unit} | ${(ours / direct).toFixed(2)}× |`,
  );
}

/**
 * Measures the memory of the last twenty servers. The first ones load and compile code and grow the heap and the allocator: about
 * 40 MB that all servers share.
 */
async function memory(urls: readonly string[]): Promise<void> {
  const box = await createSignalbox();
  const shared = 30;
  await mount(box, urls.slice(0, shared));
  box.tools();
  const before = await settledMemory();
  await mount(box, urls.slice(shared), shared);
  box.tools();
  const after = await settledMemory();
  const each = (kind: 'heap' | 'rss'): string => ((after[kind] - before[kind]) / (servers - shared)).toFixed(2);
  console.log(
    `\nMemory of this process for one idle server with ${tools} tools: heap ${each('heap')} MB, resident ${each('rss')} MB`,
  );
  await box.close();
}

async function listing(box: Signalbox, clients: readonly Client[]): Promise<void> {
  const [changed, unchanged, direct]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    box.servers.disable('signalbox');
    changed.push(await durationOf(() => box.tools()));
    unchanged.push(await durationOf(() => box.tools()));
    box.servers.enable('signalbox');
    direct.push(
      await durationOf(async () => {
        for (const client of clients) await client.listTools(undefined, { cacheMode: 'refresh' });
      }),
    );
  }
  row('all tools, after a change', median(changed), median(direct));
  row('all tools, unchanged', median(unchanged), median(direct));
}

async function changedList(box: Signalbox, client: Client): Promise<void> {
  const [ours, direct]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const before = box.tools().length;
    const seen = new Promise<void>((resolve) => {
      const stop = box.on('CatalogChanged', (snapshot) => {
        if (snapshot.tools.length <= before) return;
        stop();
        resolve();
      });
    });
    ours.push(
      await durationOf(async () => {
        await client.callTool({ name: 'grow', arguments: { query: 'x' } });
        await seen;
      }),
    );
    await wait(300);
    direct.push(
      await durationOf(async () => {
        await client.callTool({ name: 'grow', arguments: { query: 'x' } });
        await client.listTools(undefined, { cacheMode: 'refresh' });
      }),
    );
    await wait(300);
  }
  row('one tool added at one server, until it is listed', median(ours), median(direct));
}

async function calls(box: Signalbox, client: Client): Promise<void> {
  const [url] = await startServers(1, 10);
  const small = await createSignalbox();
  await mount(small, url === undefined ? [] : [url]);
  const args = (index: number): { query: string } => ({ query: `call ${index}` });
  const subjects = [
    { name: raw, calls: 400, run: (index: number) => client.callTool({ name: 'find_7_7', arguments: args(index) }) },
    { name: '10 tools', calls: 400, run: (index: number) => small.call('mcp__s0__find_0_7', args(index)) },
    {
      name: `${(servers * tools).toLocaleString('en')} tools`,
      calls: 400,
      run: (index: number) => box.call('mcp__s7__find_7_7', args(index)),
    },
  ];
  printTable('One call, concurrency 1', await measure(subjects, { concurrency: 1, rounds }), raw);
  await small.close();
}

try {
  const urls = await startServers(servers, tools);
  await memory(urls);
  const box = await createSignalbox();
  const connectMs = await durationOf(() => mount(box, urls));
  const clients: Client[] = [];
  const directMs = await durationOf(async () => {
    clients.push(...(await Promise.all(urls.map(rawClient))));
    await Promise.all(clients.map((client) => client.listTools()));
  });
  const seventh = clients[7];
  if (seventh === undefined) throw new Error('there are not enough servers');
  console.log(`\n${box.tools().length.toLocaleString('en')} tools of ${servers} servers\n`);
  console.log(`| | Signalbox | ${raw}s | |\n|---|---|---|---|`);
  row('connect to all and list', connectMs, directMs);
  await listing(box, clients);
  await changedList(box, seventh);
  await calls(box, seventh);
  await Promise.all([box.close(), ...clients.map((client) => client.close())]);
} finally {
  stopPrograms();
}
