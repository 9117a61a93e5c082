import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { sendModern } from '../mcp-clients/raw.ts';
import { CliProject, waitForExit, launcher, waitForOutput, sourceLauncher } from './cli-project.ts';

/** Records the files that a process loads, in their order, and when it starts a program. */
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

/** The packages that are loaded before a program starts if there are no rules. */
const neededByPrograms = ['commander', 'jsonc-parser', 'picocolors', 'zod'] as const;
/** Modules that are loaded after the start of a program. */
const neededLater =
  /\/src\/(?:signalbox\/create-signalbox|pipeline\/pipeline|server\/start-server|sessions\/sessions|store\/sqlite\/sqlite-store)\.ts$/;

/** The packages that are loaded before the first list of tools. Each additional one delays every start: see docs/decisions/start.md. */
const neededByClients = ['canonicalize', 'croner', 'hono', ...neededByPrograms] as const;

const token = 'a-token-of-this-test-alone';

suite('start of serve', () => {
  test('a clone loads only the needed packages before a program starts, and before the first list of tools', async () => {
    const start = await startRecorded(sourceLauncher);
    await waitForTools(start.url);
    const loaded = start.loaded();
    const untilProgram = loaded.slice(0, loaded.indexOf('program'));
    assert.deepEqual(packagesOf(untilProgram).toSorted(), neededByPrograms);
    assert.deepEqual(
      // A renamed module would be missing here.
      loaded.filter((file) => neededLater.test(file)).length,
      4,
    );
    assert.deepEqual(
      untilProgram.filter((file) => neededLater.test(file)),
      [],
    );
    assert.deepEqual(packagesOf(loaded).toSorted(), [...neededByClients].toSorted());
    assert.deepEqual(
      loaded.filter((file) => /\/server\/(?:routes|schemas|pages)\//.test(file)),
      [],
    );
    await assertLoadsRoutes(start);
  });

  test('the package loads only the needed packages before the first list of tools, and no chunk of the routes', async () => {
    const start = await startRecorded(launcher);
    await waitForTools(start.url);
    const loaded = start.loaded();
    assert.deepEqual(packagesOf(loaded).toSorted(), ['canonicalize', 'croner', 'hono']);
    assert.deepEqual(
      loaded.filter((file) => /\/chunks\/pages-/.test(file)),
      [],
    );
    await assertLoadsRoutes(start);
    assert.ok(start.loaded().some((file) => /\/chunks\/pages-/.test(file)));
  });

  test('a started program is ended if the server cannot start', async () => {
    const pid = 'pid';
    const command = { command: 'sh', args: ['-c', `echo $$ > ${pid}; exec cat`] };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers: { outside: command } }) });
    // No machine has this address.
    const { code, stderr } = await project.run(['serve', '--host', '192.0.2.1', '--port', '0']);
    assert.deepEqual([code, /cannot listen/.test(stderr)], [2, true], stderr);
    const file = join(project.directory, pid);
    assert.ok(existsSync(file), 'the program was started');
    assert.throws(() => process.kill(Number(readFileSync(file, 'utf8')), 0), { code: 'ESRCH' });
  });

  test('the compile cache of one start is accepted by the next', async () => {
    const project = createProject();
    // The compile cache of the tests contains other programs as well.
    const environment = { NODE_COMPILE_CACHE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE', SIGNALBOX_TOKEN: token };
    const start = async (): Promise<string> => {
      const child = project.start(['serve', '--port', '0', '--json'], environment);
      let output = '';
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const [, url = ''] = /"url":"([^"]+)"/.exec(await waitForOutput(child.stdout, /"url":"[^"]+"/)) ?? [];
      await waitForTools(url);
      child.kill();
      await waitForExit(child);
      return output;
    };
    await start();
    const again = await start();
    assert.ok(again.includes('was accepted'), 'the cache is used');
    assert.deepEqual(
      again.split('\n').filter((line) => line.includes('was rejected')),
      [],
    );
  });
});

/** A server that records the files that it loads. */
interface RecordedStart {
  readonly url: string;
  loaded(): string[];
}

/** Starts a server, and waits until it has printed its addresses. */
async function startRecorded(program: string): Promise<RecordedStart> {
  const project = createProject();
  project.program = program;
  const file = join(project.directory, 'loaded');
  const child = project.start(['serve', '--port', '0'], {
    LOADED: file,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
    SIGNALBOX_TOKEN: token,
  });
  const [, url = ''] = /(http\S+)\/mcp\b/.exec(await waitForOutput(child.stdout, /http\S+\/mcp\b[^]*Policy/)) ?? [];
  return { url, loaded: () => readFileSync(file, 'utf8').trim().split('\n') };
}

/** Asserts that the routes and their packages are loaded with the first request for them. */
async function assertLoadsRoutes({ url, loaded }: RecordedStart): Promise<void> {
  const before = loaded().length;
  assert.equal((await fetch(new URL('/api/health', url))).status, 200);
  const packages = packagesOf(loaded().slice(before));
  assert.ok(packages.includes('@hono/zod-openapi') && packages.includes('prom-client'), packages.join());
}

function createProject(): CliProject {
  // A schema with uncommon keywords is compiled when it is listed.
  const { type: _, ...fixture } = fixtureProgram('--valid');
  return new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers: { outside: fixture } }) });
}

/** Waits until the tools of the program are listed. */
async function waitForTools(url: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  for (let names: string[] = []; !names.some((name) => name.startsWith('mcp__outside__'));) {
    const response = await sendModern(new URL('/mcp', url), 'tools/list', {}, { headers });
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    names = result.tools.map(({ name }) => name);
  }
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^./][^/]*)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)];
}
