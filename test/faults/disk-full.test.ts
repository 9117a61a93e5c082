import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isFull, reportScenario } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/memory-directory.ts';
import { runSeed } from '../support/seeded.ts';
import { within } from '../support/within.ts';
import { failingIn, failingWritesLibrary } from './failing-writes.ts';

const place = createMemoryDirectory('disk');
after(() => rmSync(place, { recursive: true, force: true }));
// PostgreSQL runs as somebody else.
chmodSync(place, 0o755);
const program = fileURLToPath(new URL('./starved-process.ts', import.meta.url));
const library = failingWritesLibrary(place);

/** A file system of its own, in a namespace that ends with the program. */
const mounted = 'mount -t tmpfs -o size=$1 tmpfs "$2" && shift 2 && exec "$@"';
const isRoot = process.getuid?.() === 0;
const namespace = isRoot ? ['-m'] : ['-rm'];
const noMount = spawnSync('unshare', [...namespace, 'mount', '-t', 'tmpfs', 'tmpfs', place]).status !== 0;
const noLimits = spawnSync('prlimit', ['--version']).status !== 0;

interface Starving {
  readonly way: string;
  readonly store: 'SQLite' | 'PostgreSQL';
  readonly rounds: number;
  readonly skip: string | false;
  readonly size?: string;
}

const cases: readonly Starving[] = [
  { way: 'a full disk', store: 'SQLite', rounds: isFull() ? 60 : 6, skip: noMount && 'no mount here', size: '96m' },
  {
    way: 'a full disk',
    store: 'PostgreSQL',
    rounds: isFull() ? 20 : 2,
    skip: (noMount || !isRoot) && 'needs root: PostgreSQL runs as nobody else in a namespace',
    size: '160m',
  },
  { way: 'a limit of file sizes', store: 'SQLite', rounds: isFull() ? 60 : 6, skip: noLimits && 'no prlimit here' },
  {
    way: 'failing writes',
    store: 'SQLite',
    rounds: isFull() ? 60 : 6,
    skip: library === undefined && 'no C compiler here',
  },
];

describe('a store that cannot write', () => {
  for (const { way, store, rounds, skip, size } of cases)
    test(
      `${store}, ${way}: no effect without its intent, clear errors, and all is well when there is room again`,
      { skip, timeout: 300_000 },
      async (t) => {
        const data = join(place, `${store} ${way}`);
        mkdirSync(data);
        const args = [program, way, store, data, String(rounds), String(runSeed)];
        const seen = await run(size === undefined ? [process.execPath, ...args] : inMount(size, data, args), data);
        assert.ok(seen.refused > rounds, `only ${seen.refused} calls were refused: the test shows little`);
        const { acknowledged, unknown, longestErrorMs, recoveryMs, refused } = seen;
        reportScenario(t, {
          scenario: `${store}, ${way}`,
          rounds,
          acknowledged,
          lost: 0,
          duplicates: 0,
          unknown,
          longestErrorMs,
          recoveryMs,
          note: `${refused} refused`,
        });
      },
    );
});

function inMount(size: string, data: string, args: readonly string[]): string[] {
  return ['unshare', ...namespace, 'sh', '-c', mounted, 'sh', size, data, process.execPath, ...args];
}

interface Seen {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly longestErrorMs: number;
  readonly recoveryMs: number;
}

async function run([command = '', ...args]: readonly string[], data: string): Promise<Seen> {
  const isFailing = library !== undefined && args.includes('failing writes');
  const env = { ...process.env, ...(isFailing ? failingIn(data, library) : {}) };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let problems = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (problems += chunk));
  try {
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [code] = await within(ended, 'the end of the program', () => output + problems, 280_000);
    assert.equal(code, 0, `(seed ${runSeed}) ${problems}`);
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Seen;
  } finally {
    child.kill('SIGKILL');
  }
}
