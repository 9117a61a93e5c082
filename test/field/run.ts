/**
 * `npm run field` tests published MCP servers and clients with Signalbox between them.
 *
 *   npm run field                   every server of servers.json, directly and behind Signalbox, then every client
 *   npm run field -- --servers      only the servers; --clients only the clients
 *   npm run field -- --only NAME    those with NAME in their name or package
 *   npm run field -- --list FILE    another list of servers
 *   npm run field -- --cache DIR    another directory for the packages (node_modules/.cache/field)
 *   npm run field -- --jobs 4       the number of servers at a time (2)
 *   npm run field -- --json         prints the results as JSON
 *   npm run field -- --page         writes the tables into docs/compatibility.md
 *
 * Exits with 1 if there is a difference that no documented transform and no mask explains, or a client fails a step.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/core/errors.ts';
import { builtLauncher } from '../support/processes/built-package.ts';
import { root } from '../support/command.ts';
import { ProcessWatch } from '../support/runner/processes.ts';
import { clients } from './clients/clients.ts';
import { type ClientResult, tryClients } from './clients/try-clients.ts';
import { PackageCache, defaultCache } from './package-cache.ts';
import { readServerList } from './server-list.ts';
import { clientLine, compatibilityPage, problemsOf, serverLine } from './tables.ts';
import { type ServerResult, tryServer } from './try-server.ts';

const { values: options } = parseArgs({
  options: {
    servers: { type: 'boolean', default: false },
    clients: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    list: { type: 'string' },
    cache: { type: 'string', default: defaultCache },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});
const isSelected = ({ name, package: spec = '' }: { name: string; package?: string }): boolean =>
  `${name} ${spec}`.toLowerCase().includes(options.only.toLowerCase());
const isAll = options.servers === options.clients;
const selectedServers = isAll || options.servers ? readServerList(options.list).filter(isSelected) : [];
const selectedClients = isAll || options.clients ? clients.filter(isSelected) : [];
const cache = new PackageCache(options.cache);
const watch = new ProcessWatch();
const stop = (): void => void watch.end().finally(() => process.exit(130));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
if (process.env['npm_lifecycle_event'] !== undefined) {
  // npm does not pass on signals, so this process must detect its end.
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && stop(), 500).unref();
}

if (selectedServers.length + selectedClients.length === 0) {
  console.error(
    `no server or client is named "${options.only}". See test/field/servers.json and test/field/clients/clients.ts.`,
  );
  process.exit(2);
}
builtLauncher();
const notInstalled = await installAll(
  [...selectedServers, ...selectedClients].flatMap(({ package: spec }) => spec ?? []),
);
const servers = await compareServers();
const clientResults = await testClients();
const leftovers = await watch.leftBehind();
const problems = [...problemsOf(servers, clientResults), ...leftovers.map((each) => `still running: ${each}`)];
if (options.json) console.log(JSON.stringify({ servers, clients: clientResults, problems }, undefined, 2));
else report();
if (options.page) writeFileSync(join(root, 'docs', 'compatibility.md'), compatibilityPage(servers, clientResults));
// Client libraries may leave timers and sockets open.
process.exit(problems.length > 0 ? 1 : 0);

/** Installs packages. Returns the errors of those that failed, by name and version. */
async function installAll(specs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const missing = [...new Set(specs)].filter((spec) => !cache.isInstalled(spec));
  const failures = new Map<string, string>();
  await runWithConcurrency(2, missing, async (spec, index) => {
    console.error(`installing ${spec} (${index + 1} of ${missing.length})`);
    await cache.install(spec).catch((error: unknown) => failures.set(spec, messageOf(error)));
  });
  return failures;
}

async function compareServers(): Promise<readonly ServerResult[]> {
  const results = new Map<string, ServerResult>();
  await runWithConcurrency(Number(options.jobs), selectedServers, async (server) => {
    const failure = notInstalled.get(server.package);
    const result =
      failure === undefined
        ? await tryServer(server, cache.programOf(server.package, server.bin))
        : { name: server.name, package: server.package, counts: undefined, differences: [], failure };
    results.set(server.name, result);
    console.error(`[${results.size}/${selectedServers.length}] ${serverLine(result)}`);
  });
  return selectedServers.flatMap(({ name }) => results.get(name) ?? []);
}

async function testClients(): Promise<readonly ClientResult[]> {
  let count = 0;
  return tryClients(selectedClients, cache, notInstalled, (result) =>
    console.error(`[${(count += 1)}/${selectedClients.length}] ${clientLine(result)}`),
  );
}

function report(): void {
  if (servers.length > 0) console.log(`\n${servers.map(serverLine).join('\n')}`);
  if (clientResults.length > 0) console.log(`\n${clientResults.map(clientLine).join('\n')}`);
  if (problems.length > 0) console.log(`\n${problems.join('\n')}`);
  console.log(`\n${servers.length} servers, ${clientResults.length} clients, ${problems.length} problems`);
}

async function runWithConcurrency<Item>(
  jobs: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (const [index, item] of queue) await work(item, index);
    }),
  );
}
