/**
 * Measures the time from the start of the process to the first `tools/list` with the tools of every server: of `signalbox serve`
 * and `signalbox stdio`, from source and installed, compared with the servers themselves and other gateways. Uses four reference
 * servers, and one that starts as fast as Node.
 *
 * The compile cache is warm, because one uncounted start of each comes first. In the rows with "again", the data directory is
 * warm, too: it has the journal, and `protocol-versions.json` with the protocol version of each server.
 *
 *   npm run bench -- start
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { referenceServer } from '../test/mcp-servers/programs.ts';
import { builtLauncher } from '../test/support/processes/built-package.ts';
import {
  type Behind,
  type Gateway,
  ownEnvironment,
  peerGateways,
  programAt,
  signalbox,
  signalboxAt,
  startGateway,
} from './support/gateway/gateways.ts';
import { installPeers, installedPeers } from './support/gateway/install-peers.ts';
import { printGoals } from './support/gateway/tables.ts';
import { median, shuffled, spreadOf } from './support/measure.ts';
import { storeFigure } from './support/results.ts';

/**
 * `--quick` is a smoke test: one start of each, from source, with four servers, and other gateways only if they are installed.
 */
const isQuick = process.argv.includes('--quick');
const rounds = isQuick ? 1 : 11;
const peers = peerGateways(isQuick ? installedPeers() : installPeers());
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** One of its tools, which identifies it. */
  readonly tool: string;
}

/** A start to measure. `start` returns the duration in milliseconds. */
interface Started {
  readonly name: string;
  start(): Promise<number>;
}

const launchers = [
  { as: '', launcher: programAt('bin/signalbox') },
  ...(isQuick ? [] : [{ as: ', installed', launcher: builtLauncher() }]),
];

/** Measures the time until the first list of a program on stdio. */
async function firstList(
  command: string,
  args: readonly string[],
  tools: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = directory,
): Promise<number> {
  const started = performance.now();
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd, stderr: 'ignore' });
  try {
    await client.connect(transport);
    for (;;) {
      const listed = new Set((await client.listTools()).tools.map(({ name }) => name.split('__').at(-1)));
      if (tools.every((tool) => listed.has(tool))) return performance.now() - started;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    await client.close();
  }
}

/** Measures `serve` or another gateway, with a new directory for each start, or a known one. */
function gatewayStart(
  name: string,
  gateway: Gateway,
  behind: Behind,
  tools: readonly string[],
  again?: string,
): Started {
  return {
    name,
    async start() {
      const running = await startGateway(gateway, behind, {
        tools,
        ...(again === undefined ? {} : { directory: again }),
      });
      await running.stop();
      return running.startedInMs;
    },
  };
}

function stdioStart(name: string, launcher: string, tools: readonly string[], known: string): Started {
  return {
    name,
    start: () => firstList(process.execPath, [launcher, 'stdio'], tools, ownEnvironment(known), known),
  };
}

/** Returns the starts of our own commands in front of some servers. */
function ours(behind: Behind, tools: readonly string[]): readonly Started[] {
  return launchers.flatMap(({ as, launcher }) => {
    const gateway = signalboxAt(signalbox.name, () => launcher);
    const known = mkdtempSync(join(directory, 'known-'));
    return [
      gatewayStart(`${signalbox.name} serve${as}`, gateway, behind, tools),
      gatewayStart(`${signalbox.name} serve${as}, again`, gateway, behind, tools, known),
      stdioStart(`${signalbox.name} stdio${as}, again`, launcher, tools, known),
    ];
  });
}

async function series(title: string, servers: Readonly<Record<string, Program>>, others: readonly Gateway[]) {
  const programs = Object.values(servers);
  const tools = programs.map(({ tool }) => tool);
  const [only] = programs;
  const behind = programs.length === 1 && only !== undefined ? only : { servers };
  const alone = Object.entries(servers).map(([name, { command, args, tool }]) => ({
    name: programs.length === 1 ? 'the server itself' : `${name} itself`,
    start: () => firstList(command, args, [tool]),
  }));
  const together = {
    name: 'all of them at once, no gateway',
    start: async () =>
      Math.max(...(await Promise.all(programs.map(({ command, args, tool }) => firstList(command, args, [tool]))))),
  };
  const started: readonly Started[] = [
    ...alone,
    ...(programs.length === 1 ? [] : [together]),
    ...ours(behind, tools),
    ...others.map((gateway) => gatewayStart(gateway.name, gateway, behind, tools)),
  ];
  const times = new Map(started.map(({ name }) => [name, [] as number[]]));
  // The first round is in the given order, because a start "again" requires an earlier one.
  const first = isQuick ? 0 : -1;
  for (let round = first; round < rounds; round += 1)
    for (const { name, start } of round === first ? started : shuffled(started)) {
      const durationMs = await start();
      if (round >= 0) times.get(name)?.push(durationMs);
    }
  print(title, times);
  const floor = Array.from({ length: rounds }, (_, round) =>
    Math.max(...alone.map(({ name }) => times.get(name)?.[round] ?? Number.NaN)),
  );
  printGoals(
    [...times.keys()]
      .filter((name) => name.startsWith(signalbox.name))
      .map((name) => {
        const added = (times.get(name) ?? []).map((ms, round) => ms - (floor[round] ?? Number.NaN));
        return [`${name}: ms more than the slowest server itself`, median(added), 'at most', 150];
      }),
  );
}

function print(title: string, times: ReadonlyMap<string, readonly number[]>): void {
  const bars = [...times].map(([name, each]) => ({ name, value: median(each), spread: spreadOf(each) }));
  storeFigure({ title, unit: 'ms', isMoreBetter: false, bars });
  console.log(`\n### ${title}, ms\n\n| | median of ${rounds} | middle half |\n|---|---|---|`);
  for (const { name, value, spread } of bars)
    console.log(`| ${name} | ${value.toFixed(0)} | ${spread.map((ms) => ms.toFixed(0)).join('–')} |`);
}

const reference = (name: Parameters<typeof referenceServer>[0], tool: string, ...more: readonly string[]): Program => {
  const { command, args = [] } = referenceServer(name, more);
  return { command, args, tool };
};
const four = {
  everything: reference('everything', 'echo'),
  files: reference('filesystem', 'read_text_file', directory),
  memory: reference('memory', 'read_graph'),
  thinking: reference('sequential-thinking', 'sequentialthinking'),
};
const echo = programAt('bench/support/gateway/echo-program.ts');
const one = { bench: { command: process.execPath, args: [echo, '1'], tool: 'echo' } };

await series(
  'Start to the first tools/list of four servers',
  four,
  peers.filter(({ supportsHttp }) => supportsHttp),
);
if (!isQuick) await series('Start to the first tools/list of one server', one, peers);
