import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { within } from '../support/within.ts';
import { Place, finished, launcher, said } from './cli-place.ts';

const tool = (name: string, body: string): string =>
  `export const ${name} = { name: '${name}', description: 'Says.', effect: 'read', run: ${body} };\n`;
const answers = (words: string): string =>
  `import { words } from './words.js';\n${tool('say', `() => '${words} ' + words`)}`;
const configuration = JSON.stringify({ mcpServers: { desk: { module: './desk.ts' } } });

function place(): Place {
  const made = new Place({ 'signalbox.config.json': configuration, 'package.json': '{"type":"module"}' });
  write(made, 'words.js', `export { words } from './deep/words.js';`);
  write(made, 'deep/words.js', `export const words = 'one';`);
  write(made, 'desk.ts', answers('first'));
  return made;
}

function write({ directory }: Place, name: string, text: string): void {
  mkdirSync(join(directory, 'deep'), { recursive: true });
  writeFileSync(join(directory, name), text);
}

/** `signalbox serve`, and what it writes to its error output. */
async function serve(t: TestContext, at: Place): Promise<{ until: (expected: RegExp) => Promise<string> }> {
  const child = at.start(['serve', '--port', '0', '--json']);
  t.after(async () => {
    const ended = finished(child);
    child.kill('SIGTERM');
    await ended;
  });
  await said(child.stdout, /\n/);
  return { until: (expected) => said(child.stderr, expected) };
}

const call = async (at: Place, name = 'say'): Promise<string> => (await at.run(['call', name])).stdout;

suite('a module of tools that is edited while the server runs', () => {
  test('has its tools replaced, also when a file that it imports was edited; running calls end with the old code', async (t) => {
    const at = place();
    const gate = join(at.directory, 'gate');
    const wait = `async () => { const { existsSync } = await import('node:fs'); console.error('waiting'); while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20)); return 'old'; }`;
    write(at, 'desk.ts', answers('first') + tool('slow', wait));
    const server = await serve(t, at);
    assert.equal(await call(at), 'first one\n');
    const waiting = server.until(/waiting/);
    const slow = call(at, 'slow');
    await waiting;

    const reloaded = server.until(/configuration changed: reloaded desk\n/);
    write(at, 'desk.ts', answers('second') + tool('slow', `() => 'new'`) + tool('more', `() => 'more'`));
    await reloaded;
    assert.equal(await call(at), 'second one\n');
    assert.equal(await call(at, 'more'), 'more\n');
    assert.equal(await call(at, 'slow'), 'new\n');
    writeFileSync(gate, '');
    assert.equal(await slow, 'old\n');

    const again = server.until(/reloaded desk\n/);
    write(at, 'deep/words.js', `export const words = 'two';`);
    await again;
    assert.equal(await call(at), 'second two\n');
  });

  test('with an error leaves the tools unchanged and prints the reason; once fixed, it is applied', async (t) => {
    const at = place();
    const server = await serve(t, at);
    const refused = server.until(/is not used; the running configuration stays\n.*desk\.ts cannot be imported: .+\n/);
    write(at, 'desk.ts', `export const say = {`);
    await refused;
    assert.equal(await call(at), 'first one\n');
    const missing = server.until(/desk\.ts cannot be imported: .*later\.js.*\n/);
    write(at, 'desk.ts', `import { words } from './later.js';\n${tool('say', '() => words')}`);
    await missing;
    assert.equal(await call(at), 'first one\n');
    const mended = server.until(/reloaded desk\n/);
    write(at, 'later.js', `export const words = 'mended';`);
    await mended;
    assert.equal(await call(at), 'mended\n');
  });

  test('of CommonJS files is read again, too', async (t) => {
    const at = place();
    const module = (text: string): string =>
      `const words = require('./common-words.cjs');\nmodule.exports = [{ name: 'say', description: 'Says.', effect: 'read', run: () => '${text} ' + words }];`;
    write(at, 'common-words.cjs', `module.exports = 'one';`);
    write(at, 'common.cjs', module('first'));
    write(at, 'signalbox.config.json', configuration.replace('desk.ts', 'common.cjs'));
    const server = await serve(t, at);
    assert.equal(await call(at), 'first one\n');
    for (const [file, text, expected] of [
      ['common.cjs', module('second'), 'second one\n'],
      ['common-words.cjs', `module.exports = 'two';`, 'second two\n'],
    ] as const) {
      const reloaded = server.until(/reloaded desk\n/);
      write(at, file, text);
      await reloaded;
      assert.equal(await call(at), expected);
    }
  });

  test('notifies MCP clients of the changed list', async (t) => {
    const at = place();
    const client = new Client({ name: 'pipe', version: '1.0.0' });
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [launcher, 'stdio'],
        cwd: at.directory,
        env: { ...(process.env as Record<string, string>), SIGNALBOX_HOME: at.data, SIGNALBOX_SECRETS: 'file' },
        stderr: 'ignore',
      }),
    );
    t.after(() => client.close());
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(!(await names()).includes('mcp__desk__more'));
    write(at, 'desk.ts', answers('first') + tool('more', `() => 'more'`));
    await within(changed.promise, 'tools/list_changed');
    assert.ok((await names()).includes('mcp__desk__more'));
  });
});
