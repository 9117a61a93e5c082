import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { within } from '../support/within.ts';
import { CliProject, waitForOutput } from './cli-project.ts';

const tool = (name: string, body: string): string =>
  `export const ${name} = { name: '${name}', description: 'Says.', effect: 'read', run: ${body} };\n`;
const sayModule = (words: string): string =>
  `import { words } from './words.js';\n${tool('say', `() => '${words} ' + words`)}`;
const configuration = JSON.stringify({ mcpServers: { desk: { module: './desk.ts' } } });

function createProject(): CliProject {
  const project = new CliProject({ 'signalbox.config.json': configuration, 'package.json': '{"type":"module"}' });
  write(project, 'words.js', `export { words } from './deep/words.js';`);
  write(project, 'deep/words.js', `export const words = 'one';`);
  write(project, 'desk.ts', sayModule('first'));
  return project;
}

function write({ directory }: CliProject, name: string, text: string): void {
  mkdirSync(join(directory, 'deep'), { recursive: true });
  writeFileSync(join(directory, name), text);
}

/** Starts `signalbox serve`; `until` waits for text on its standard error. */
async function serve(project: CliProject): Promise<{ until: (expected: RegExp) => Promise<string> }> {
  const { child } = await project.serve();
  return { until: (expected) => waitForOutput(child.stderr, expected) };
}

const call = async (project: CliProject, name = 'say'): Promise<string> => (await project.run(['call', name])).stdout;

suite('tool module that is edited while the server runs', () => {
  test('is reloaded, also after an edit of an imported file; running calls end with the old code', async () => {
    const project = createProject();
    const gate = join(project.directory, 'gate');
    const wait = `async () => { const { existsSync } = await import('node:fs'); console.error('waiting'); while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20)); return 'old'; }`;
    write(project, 'desk.ts', sayModule('first') + tool('slow', wait));
    const server = await serve(project);
    assert.equal(await call(project), 'first one\n');
    const waiting = server.until(/waiting/);
    const slow = call(project, 'slow');
    await waiting;

    const reloaded = server.until(/configuration changed: reloaded desk\n/);
    write(project, 'desk.ts', sayModule('second') + tool('slow', `() => 'new'`) + tool('more', `() => 'more'`));
    await reloaded;
    assert.equal(await call(project), 'second one\n');
    assert.equal(await call(project, 'more'), 'more\n');
    assert.equal(await call(project, 'slow'), 'new\n');
    writeFileSync(gate, '');
    assert.equal(await slow, 'old\n');

    const again = server.until(/reloaded desk\n/);
    write(project, 'deep/words.js', `export const words = 'two';`);
    await again;
    assert.equal(await call(project), 'second two\n');
  });

  test('with an error leaves the tools unchanged and prints the reason; once fixed, it is reloaded', async () => {
    const project = createProject();
    const server = await serve(project);
    const refused = server.until(/is not used; the running configuration stays\n.*desk\.ts cannot be imported: .+\n/);
    write(project, 'desk.ts', `export const say = {`);
    await refused;
    assert.equal(await call(project), 'first one\n');
    const missing = server.until(/desk\.ts cannot be imported: .*later\.js.*\n/);
    write(project, 'desk.ts', `import { words } from './later.js';\n${tool('say', '() => words')}`);
    await missing;
    assert.equal(await call(project), 'first one\n');
    const fixed = server.until(/reloaded desk\n/);
    write(project, 'later.js', `export const words = 'fixed';`);
    await fixed;
    assert.equal(await call(project), 'fixed\n');
  });

  test('of CommonJS files is reloaded as well', async () => {
    const project = createProject();
    const module = (text: string): string =>
      `const words = require('./common-words.cjs');\nmodule.exports = [{ name: 'say', description: 'Says.', effect: 'read', run: () => '${text} ' + words }];`;
    write(project, 'common-words.cjs', `module.exports = 'one';`);
    write(project, 'common.cjs', module('first'));
    write(project, 'signalbox.config.json', configuration.replace('desk.ts', 'common.cjs'));
    const server = await serve(project);
    assert.equal(await call(project), 'first one\n');
    for (const [file, text, expected] of [
      ['common.cjs', module('second'), 'second one\n'],
      ['common-words.cjs', `module.exports = 'two';`, 'second two\n'],
    ] as const) {
      const reloaded = server.until(/reloaded desk\n/);
      write(project, file, text);
      await reloaded;
      assert.equal(await call(project), expected);
    }
  });

  test('notifies MCP clients of the changed list', async (t) => {
    const project = createProject();
    const client = new Client({ name: 'pipe', version: '1.0.0' });
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    await client.connect(new StdioClientTransport(project.stdioServer()));
    t.after(() => client.close());
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(!(await names()).includes('mcp__desk__more'));
    write(project, 'desk.ts', sayModule('first') + tool('more', `() => 'more'`));
    await within(changed.promise, 'tools/list_changed');
    assert.ok((await names()).includes('mcp__desk__more'));
  });
});
