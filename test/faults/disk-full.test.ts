import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isFull, reportScenario } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { runSeed } from '../support/seeded.ts';
import { within } from '../support/within.ts';
import { failingIn, failingWritesLibrary } from './failing-writes.ts';

const directory = createMemoryDirectory('disk');
after(() => rmSync(directory, { recursive: true, force: true }));
// PostgreSQL runs as another user.
chmodSync(directory, 0o755);
const program = fileURLToPath(new URL('./starved-process.ts', import.meta.url));
const library = failingWritesLibrary(directory);

/** Mounts a separate file system, in a namespace that ends with the program. */
const mountScript = 'mount -t tmpfs -o size=$1 tmpfs "$2" && shift 2 && exec "$@"';
const isRoot = process.getuid?.() === 0;
const namespace = isRoot ? ['-m'] : ['-rm'];
const cannotMount = spawnSync('unshare', [...namespace, 'mount', '-t', 'tmpfs', 'tmpfs', directory]).status !== 0;
const hasNoLimits = spawnSync('prlimit', ['--version']).status !== 0;

interface WriteFault {
  readonly fault: string;
  readonly store: 'SQLite' | 'PostgreSQL';
  readonly rounds: number;
  readonly skip: string | false;
  readonly size?: string;
}

const cases: readonly WriteFault[] = [
  {
    fault: 'a full disk',
    store: 'SQLite',
    rounds: isFull() ? 60 : 6,
    skip: cannotMount && 'cannot mount',
    size: '96m',
  },
  {
    fault: 'a full disk',
    store: 'PostgreSQL',
    rounds: isFull() ? 20 : 2,
    skip: (cannotMount || !isRoot) && 'needs root: PostgreSQL runs as another user in the namespace',
    size: '160m',
  },
  {
    fault: 'a limit of file sizes',
    store: 'SQLite',
    rounds: isFull() ? 60 : 6,
    skip: hasNoLimits && 'prlimit is not installed',
  },
  {
    fault: 'failing writes',
    store: 'SQLite',
    rounds: isFull() ? 60 : 6,
    skip: library === undefined && 'no C compiler is installed',
  },
];

describe('store that cannot write', () => {
  for (const { fault, store, rounds, skip, size } of cases)
    test(
      `${store}, ${fault}: no effect without its intent, clear errors, and recovery when it can write again`,
      { skip, timeout: 300_000 },
      async (t) => {
        const data = join(directory, `${store} ${fault}`);
        mkdirSync(data);
        const args = [program, fault, store, data, String(rounds), String(runSeed)];
        const result = await run(size === undefined ? [process.execPath, ...args] : withMount(size, data, args), data);
        assert.ok(result.refused > rounds, `only ${result.refused} calls were rejected: the test shows little`);
        const { acknowledged, unknown, longestErrorMs, recoveryMs, refused } = result;
        reportScenario(t, {
          scenario: `${store}, ${fault}`,
          rounds,
          acknowledged,
          lost: 0,
          duplicates: 0,
          unknown,
          longestErrorMs,
          recoveryMs,
          note: `${refused} rejected`,
        });
      },
    );
});

function withMount(size: string, data: string, args: readonly string[]): string[] {
  return ['unshare', ...namespace, 'sh', '-c', mountScript, 'sh', size, data, process.execPath, ...args];
}

interface StarvedResult {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly longestErrorMs: number;
  readonly recoveryMs: number;
}

async function run([command = '', ...args]: readonly string[], data: string): Promise<StarvedResult> {
  const isFailing = library !== undefined && args.includes('failing writes');
  const env = { ...process.env, ...(isFailing ? failingIn(data, library) : {}) };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  try {
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [code] = await within(ended, 'the end of the program', () => output + errors, 280_000);
    assert.equal(code, 0, `(seed ${runSeed}) ${errors}`);
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as StarvedResult;
  } finally {
    child.kill('SIGKILL');
  }
}
