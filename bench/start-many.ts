/**
 * Measures the start in front of many servers: the time until the response to `initialize`, and until all servers are up,
 * compared with the same servers started without a gateway, four at a time. Half of them are reference servers, half a program
 * that starts as fast as Node.
 *
 *   npm run bench -- start-many
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { referenceServer } from '../test/mcp-servers/programs.ts';
import { builtLauncher } from '../test/support/processes/built-package.ts';
import { programAt } from './support/gateway/gateways.ts';
import { printGoals } from './support/gateway/tables.ts';
import { median, spreadOf } from './support/measure.ts';
import { storeFigure } from './support/results.ts';
import { type ServerProgram, type StartTimes, startDirectly, startServe, startStdio } from './support/many-servers.ts';

/** `--quick` is a smoke test: six servers, one round, from source. */
const isQuick = process.argv.includes('--quick');
const [count, rounds, maxConcurrency] = isQuick ? [6, 1, 4] : [85, 3, 4];
const launcher = isQuick ? programAt('bin/signalbox') : builtLauncher();
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const references = ['everything', 'filesystem', 'memory', 'sequential-thinking'] as const;
const echo = programAt('bench/support/gateway/echo-program.ts');

function programOf(index: number): ServerProgram {
  const name = references[(index >> 1) % references.length];
  if (index % 2 === 1 || name === undefined) return { command: process.execPath, args: [echo, '1'] };
  const { command, args = [] } = referenceServer(name, name === 'filesystem' ? [directory] : []);
  return { command, args };
}

const servers = Array.from({ length: count }, (_, index) => programOf(index));
const direct = `no gateway, ${maxConcurrency} at a time`;
const starts: Readonly<Record<string, () => Promise<StartTimes>>> = {
  [direct]: () => startDirectly(servers, maxConcurrency, directory),
  'Signalbox serve': () => startServe(servers, launcher, directory),
  'Signalbox stdio': () => startStdio(servers, launcher, directory),
};
const times = new Map<string, StartTimes[]>(Object.keys(starts).map((name) => [name, []]));
for (let round = isQuick ? 0 : -1; round < rounds; round += 1)
  for (const [name, start] of Object.entries(starts)) {
    // An additional first round fills the compile caches.
    const duration = await start();
    if (round >= 0) times.get(name)?.push(duration);
  }

function print(title: string, of: (each: StartTimes) => number): void {
  const bars = [...times].map(([name, each]) => ({
    name,
    value: median(each.map(of)),
    spread: spreadOf(each.map(of)),
  }));
  storeFigure({ title, unit: 'ms', isMoreBetter: false, bars });
  console.log(`\n### ${title}, ms\n\n| | median of ${rounds} | middle half |\n|---|---|---|`);
  for (const { name, value, spread } of bars)
    console.log(`| ${name} | ${value.toFixed(0)} | ${spread.map((ms) => ms.toFixed(0)).join('–')} |`);
}

print(`Start to the first answer, ${count} servers`, ({ firstAnswerMs }) => firstAnswerMs);
print(`Start until ${count} servers are up`, ({ allUpMs }) => allUpMs);
const ours = [...times.keys()].filter((name) => name !== direct);
const ratios = (name: string): number[] =>
  (times.get(name) ?? []).map(({ allUpMs }, round) => allUpMs / (times.get(direct)?.[round]?.allUpMs ?? Number.NaN));
printGoals(
  ours.flatMap((name) => [
    [
      `${name}: ms to the first answer`,
      median((times.get(name) ?? []).map((each) => each.firstAnswerMs)),
      'at most',
      500,
    ] as const,
    [`${name}: all servers up, times the start without a gateway`, median(ratios(name)), 'at most', 1.2] as const,
  ]),
);
