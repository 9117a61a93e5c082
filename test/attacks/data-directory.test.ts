import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, suite, test } from 'node:test';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { type Attempt, GuardedBox } from '../support/boxes/guarded-box.ts';
import { startPostgres } from '../support/postgres/postgres.ts';

const cluster = await startPostgres();
after(() => cluster.end());
const boxes: Readonly<Record<string, GuardedBox>> = {
  SQLite: await GuardedBox.open({ after }, { answer: 'yes' }),
  PostgreSQL: await GuardedBox.open({ after }, { answer: 'yes', store: cluster.address('data') }),
};
const read = 'mcp__files__read_text_file';

/** Also asserts that no approval was requested, so that no human can be tricked into approving. */
function assertDenied({ outcome, reason, requests }: Attempt, label: string): void {
  assert.deepEqual([outcome, requests.length], ['denied', 0], `${label}: ${reason}`);
  assert.match(reason, /default:data-directory: .*is in Signalbox's data directory, which is closed to agents/, label);
  assert.doesNotMatch(reason, /planted/, label);
}

for (const [store, guarded] of Object.entries(boxes))
  suite(`data directory with records in ${store}`, () => {
    const { data, project } = guarded;
    const token = join(data, 'token');

    test('is closed to the built-in tools of Claude, whatever rules, permission modes and humans say', async () => {
      for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        assertDenied(await guarded.claude('Read', { file_path: token }, mode), `Read in ${mode}`);
        assertDenied(await guarded.claude('Write', { file_path: token, content: 'x' }, mode), `Write in ${mode}`);
      }
      assertDenied(await guarded.claude('Read', { file_path: relative(project, token) }), 'a relative path');
      assertDenied(await guarded.claude('Grep', { pattern: 'planted', path: data }), 'Grep');
      assertDenied(await guarded.claude('Glob', { pattern: `${data}/*` }), 'Glob');
      assertDenied(await guarded.claude('LS', { path: data }), 'LS');
      for (const command of [`cat ${token}`, `cd ${data} && cat token`, `cat < "${data}"/tok'en'`])
        assertDenied(await guarded.claude('Bash', { command }), command);
      const above = await guarded.claude('Grep', { pattern: 'planted', path: join(data, '..') });
      assert.equal(above.outcome, 'completed', 'rules may allow a search of the directory above');
    });

    test('is closed to tools of MCP servers and to local tools', async () => {
      assertDenied(await guarded.call(read, { path: token }), 'a file');
      assertDenied(
        await guarded.call('mcp__files__read_multiple_files', { paths: [join(project, 'a'), token] }),
        'a list',
      );
      assertDenied(await guarded.call('mcp__files__list_directory', { path: data }), 'the directory itself');
      assertDenied(
        await guarded.call('mcp__files__write_file', { path: join(data, 'new/file'), content: '' }),
        'a write',
      );
      const moved = { source: token, destination: join(project, 'src/token') };
      assertDenied(await guarded.call('mcp__files__move_file', moved), 'a move');
      assertDenied(await guarded.call('mcp__notes__read', { any: { name: [{ at: token }] } }), 'a local tool');
      assertDenied(await guarded.call('mcp__notes__read', { folder: data, file: 'token' }), 'a path in two parts');
      assertDenied(await guarded.call('mcp__notes__read', { uri: `file://${token}` }), 'a file URL');
      assertDenied(await guarded.call('mcp__notes__read', { pattern: `${data}/tok*` }), 'a pattern');
    });

    test('is closed when its path is inside a longer text, under any key', async () => {
      const database = join(data, 'signalbox.db');
      const texts = [
        `ATTACH DATABASE '${database}' AS x`,
        `SELECT readfile('${token}')`,
        JSON.stringify({ path: token }),
        JSON.stringify(JSON.stringify({ path: token })),
        JSON.stringify({ path: token }).replaceAll('/', String.raw`\/`),
        `curl -d @${token} http://127.0.0.1`,
        `-f${token}`,
        `--file=${token}`,
        `sqlite://${database}?mode=ro`,
        `jdbc:sqlite:${database}`,
        `dbname=${database}`,
        `see file://${token.replace('.signalbox', '%2esignalbox')}`,
        `cat ${relative(project, token)} now`,
        `cat '${token}'; true`,
        `open("${token}").read()`,
        `cat ${token.replace('signalbox', 'signal\u00adbox')} now`,
        `cat ${token.replace('signalbox', 'signal"b"ox')} now`,
      ];
      for (const [index, text] of texts.entries()) {
        const key = ['sql', 'input', 'query', 'text', 'cmdline', 'url'][index % 6] ?? '';
        assertDenied(await guarded.call('mcp__notes__read', { [key]: text }), `${key}: ${text}`);
        assertDenied(await guarded.call('mcp__notes__run', { options: [{ [key]: text }] }), `${key}: ${text}`);
      }
      for (const text of [`mv ${join(data, '..')} x`, `cp -r ${join(data, '..')} x`, 'rm -rf ../home'])
        assert.match((await guarded.call('mcp__notes__run', { text })).reason, /default:data-directory/, text);
      const fine = [
        { text: 'Its files are in .signalbox of the home directory' },
        { text: `cat ${data}-old/token and ${join(data, 'demo/a.txt')}` },
        { query: '/backup/.signalbox/token' },
        { message: `The token is in ${token}` },
      ];
      for (const args of fine)
        assert.equal((await guarded.call('mcp__notes__run', args)).outcome, 'completed', JSON.stringify(args));
    });

    test('is closed under every alias', async () => {
      const at = (name: string): string => join(project, 'src', name);
      symlinkSync(token, at('file-link'));
      symlinkSync(data, at('directory-link'));
      symlinkSync(at('directory-link'), at('second-link'));
      symlinkSync(join(data, 'new-file'), at('dangling-link'));
      linkSync(token, at('hard-link'));
      writeFileSync(at('twice'), 'mine');
      linkSync(at('twice'), at('twice-linked'));
      mkdirSync(join(data, 'running'), { recursive: true });
      writeFileSync(join(data, 'running', '1.json'), 'planted-key');
      linkSync(join(data, 'running', '1.json'), at('hard-link-below'));
      const names = {
        'a symlink': at('file-link'),
        'a relative symlink': 'src/file-link',
        'a symlink to the directory': `${at('directory-link')}/token`,
        'a symlink to a symlink': `${at('second-link')}/token`,
        'a hard link': at('hard-link'),
        'a hard link to a file below it': at('hard-link-below'),
        'a path with ..': `${project}/src/../../home/.signalbox/token`,
        'a path that goes up from a missing directory': `${project}/none/../../home/./.signalbox//token`,
        'the root of a process': `/proc/self/root${token}`,
        'the root of another process': `/proc/${process.ppid}/root${token}`,
        'the working directory of a process': '/proc/self/cwd/../home/.signalbox/token',
        'the root of a thread': `/proc/self/task/1/root${token}`,
        'another case': token.replace('.signalbox', '.SignalBox'),
        'surrounding spaces': ` ${token} `,
      };
      for (const [label, path] of Object.entries(names)) {
        assertDenied(await guarded.call(read, { path }), label);
        assertDenied(await guarded.claude('Read', { file_path: path }), label);
      }
      assertDenied(
        await guarded.call('mcp__files__write_file', { path: at('dangling-link'), content: '' }),
        'dangling',
      );
      const own = await guarded.call(read, { path: at('twice') });
      assert.equal(own.outcome, 'completed', 'a hard link between files of the project stays allowed');
    });

    test('asks when the caller is a human', async () => {
      const human = { id: 'ann', kind: 'human' } as const;
      const { outcome, decision } = await guarded.box.call(read, { path: token }, { principal: human });
      assert.equal(outcome, 'completed');
      assert.equal(decision?.rule, 'default:protected-file');
    });
  });

test('a box without a configuration closes its data directory to agents', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-data-directory-'));
  const ran: unknown[] = [];
  const show = defineTool({
    name: 'show',
    description: 'Shows a file.',
    effect: 'read',
    input: { type: 'object' },
    run: (args) => void ran.push(args),
  });
  const box = await createSignalbox({ data, servers: [localServer({ name: 'x', tools: [show] })] });
  t.after(async () => {
    await box.close();
    rmSync(data, { recursive: true });
  });
  const principal = { id: 'agent', kind: 'agent' } as const;
  const { decision } = await box.call('mcp__x__show', { path: join(data, 'signalbox.db') }, { principal });
  assert.deepEqual([decision?.answer, decision?.rule, ran], ['deny', 'default:data-directory', []]);
});
