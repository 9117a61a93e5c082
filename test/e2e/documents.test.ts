import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { parseConfiguration } from '../../src/config/load-configuration.ts';
import { Place, finished, said } from './cli-place.ts';

const root = join(import.meta.dirname, '..', '..');
const reference = readdirSync(join(root, 'docs', 'reference')).map((name) => join('docs', 'reference', name));
const documents = ['README.md', 'CONTRIBUTING.md', ...reference];
const readDocument = (file: string): string => readFileSync(join(root, file), 'utf8');

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block);
}

suite('what is written for users', () => {
  const hasCurl = spawnSync('curl', ['--version']).error === undefined;

  test('the lines of the README hold a conversation with a fresh server', { skip: !hasCurl }, async (t) => {
    const place = new Place();
    const server = place.start(['serve', '--port', '0', '--json'], {
      SIGNALBOX_HOME: join(place.directory, '.signalbox'),
    });
    const ended = finished(server);
    t.after(() => server.kill('SIGKILL'));
    const { url } = JSON.parse(await said(server.stdout, /\n/)) as { url: string };

    const [lines = ''] = blocks(readDocument('README.md'), 'sh');
    const script = lines.replaceAll('http://127.0.0.1:4242', url);
    const { code, stdout, stderr } = await finished(
      spawn('sh', ['-e', '-c', script], { env: { ...process.env, HOME: place.directory } }),
    );
    assert.equal(code, 0, stderr);
    const order = ['tool_call_start', 'tool_result', 'done'].map((type) => stdout.indexOf(`event: ${type}\n`));
    assert.ok(!order.includes(-1) && order.join() === order.toSorted((a, b) => a - b).join(), stdout);
    assert.match(stdout, /event: tool_result\n.*"outcome":"completed".*pong/);

    server.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  for (const file of documents)
    test(`${file}: configurations are accepted, links lead somewhere`, () => {
      const text = readDocument(file);
      for (const block of blocks(text, 'jsonc')) parseConfiguration(block, join(root, 'signalbox.config.json'));
      for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g))
        if (!target.startsWith('http')) assert.ok(existsSync(join(root, dirname(file), target)), target);
    });

  test('the commands and options of the README are there', async () => {
    const program = await createProgram({ terminal: processTerminal(), exitWith: () => undefined });
    const named = [...readDocument('README.md').matchAll(/^\| (`.*`) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
    );
    assert.ok(named.length > 20);
    for (const line of named) {
      const words = line.split(/[\s[\]]+/).filter((word) => word !== '');
      for (const command of commandsOf(program, words))
        for (const option of words.filter((word) => word.startsWith('--')))
          assert.ok(
            command.options.some(({ long }) => long === option),
            `${command.name()} ${option}`,
          );
    }
  });
});

/** The commands that a line of the README names: `secret set/list` names two. */
function commandsOf(program: Command, words: readonly string[]): Command[] {
  const end = words.findIndex((word) => !/^[a-z/]+$/.test(word));
  let found = [program];
  for (const word of end === -1 ? words : words.slice(0, end))
    found = found.flatMap(({ commands }) =>
      word.split('/').map((name) => {
        const command = commands.find((each) => each.name() === name);
        assert.ok(command, `there is no command ${words.join(' ')}`);
        return command;
      }),
    );
  return found;
}
