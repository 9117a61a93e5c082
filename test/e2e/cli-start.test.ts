import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { sendModern } from '../mcp-clients/raw.ts';
import { Place, finished, said, sourceLauncher } from './cli-place.ts';

/** Writes down which files a process loads, in the order in which it does, and when it starts a program. */
const recorder = `
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
subscribe('child_process', () => appendFileSync(process.env.LOADED, 'program\\n'));
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, url + '\\n');
    return nextLoad(url, context);
  },
});
`;

/** What of other packages a program waits for before it is started, where there are no rules. */
const awaitedByPrograms = ['commander', 'jsonc-parser', 'picocolors', 'zod'] as const;
/** Our own parts that a program does not wait for. */
const later =
  /\/src\/(?:signalbox|call\/pipeline|server\/start-server|sessions\/sessions|store\/sqlite\/sqlite-store)\.ts$/;

/** What of other packages a client of MCP waits for. One more is one that every start waits for: see docs/decisions/start.md. */
const awaited: ReadonlySet<string> = new Set([
  'canonicalize',
  'commander',
  'croner',
  'hono',
  'jsonc-parser',
  'picocolors',
  'zod',
]);

const token = 'a-token-of-this-test-alone';

suite('the start of serve', () => {
  test('neither the first list of tools nor the start of a program waits for anything that it does not need', async () => {
    const place = withProgram();
    // Where every module is a file.
    place.program = sourceLauncher;
    const loaded = join(place.directory, 'loaded');
    const read = (): string[] => readFileSync(loaded, 'utf8').trim().split('\n');
    const child = place.start(['serve', '--port', '0', '--json'], {
      LOADED: loaded,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
      SIGNALBOX_TOKEN: token,
    });
    const { url } = JSON.parse(await said(child.stdout, /\n/)) as { url: string };

    await firstList(url);
    const before = read();
    const unneeded = packagesOf(before).filter((name) => !awaited.has(name));
    assert.deepEqual(unneeded, []);
    assert.deepEqual(
      before.filter((file) => /\/server\/(?:routes|schemas|pages)\//.test(file)),
      [],
    );

    const untilProgram = before.slice(0, before.indexOf('program'));
    assert.deepEqual(packagesOf(untilProgram).toSorted(), awaitedByPrograms);
    assert.deepEqual(
      untilProgram.filter((file) => later.test(file)),
      [],
    );

    assert.equal((await fetch(new URL('/api/health', url))).status, 200);
    const others = packagesOf(read().slice(before.length));
    assert.ok(
      others.includes('@hono/zod-openapi') && others.includes('prom-client'),
      'the routes come when they are asked for',
    );
  });

  test('a program that was started is ended when the server cannot be', async () => {
    const pid = 'pid';
    const command = { command: 'sh', args: ['-c', `echo $$ > ${pid}; exec cat`] };
    const place = new Place({ 'signalbox.config.json': JSON.stringify({ mcpServers: { outside: command } }) });
    // An address that no machine has.
    const { code, stderr } = await place.run(['serve', '--host', '192.0.2.1', '--port', '0']);
    assert.deepEqual([code, /cannot listen/.test(stderr)], [2, true], stderr);
    const file = join(place.directory, pid);
    assert.ok(existsSync(file), 'it was started');
    assert.throws(() => process.kill(Number(readFileSync(file, 'utf8')), 0), { code: 'ESRCH' });
  });

  test('what one start compiled, the next one takes as it is', async () => {
    const place = withProgram();
    // Not the cache of the tests, which is of other programs, too.
    const own = { NODE_COMPILE_CACHE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE', SIGNALBOX_TOKEN: token };
    const start = async (): Promise<string> => {
      const child = place.start(['serve', '--port', '0', '--json'], own);
      let told = '';
      child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
      child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
      const [, url = ''] = /"url":"([^"]+)"/.exec(await said(child.stdout, /"url":"[^"]+"/)) ?? [];
      await firstList(url);
      child.kill();
      await finished(child);
      return told;
    };
    await start();
    const again = await start();
    assert.ok(again.includes('was accepted'), 'what is kept is looked at');
    assert.deepEqual(
      again.split('\n').filter((line) => line.includes('was rejected')),
      [],
    );
  });
});

function withProgram(): Place {
  // A schema that is not made of the usual keywords is compiled when it is listed.
  const { type: _, ...fixture } = fixtureProgram('--valid');
  return new Place({ 'signalbox.config.json': JSON.stringify({ mcpServers: { outside: fixture } }) });
}

/** Waits until the tools of the program are listed. */
async function firstList(url: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  for (let names: string[] = []; !names.some((name) => name.startsWith('mcp__outside__'));) {
    const answer = await sendModern(new URL('/mcp', url), 'tools/list', {}, { headers });
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
    names = result.tools.map(({ name }) => name);
  }
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)];
}
