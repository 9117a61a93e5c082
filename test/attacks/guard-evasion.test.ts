import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Decision } from '../../src/core/calls/decision.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { FileGuard } from '../../src/pipeline/files/file-guard.ts';
import { GuardedBox, assertAsked, assertDenied, assertRan } from '../support/boxes/guarded-box.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const guarded = await GuardedBox.open({ after });
const { data, project } = guarded;
const home = dirname(data);
const place = dirname(home);
const token = join(data, 'token');
const read = 'mcp__files__read_text_file';
const write = 'mcp__files__write_file';
const longName = 'a'.repeat(256);

// The data directory is in the home directory, as it is by default.
const originalHome = process.env['HOME'];
process.env['HOME'] = home;
after(() => {
  if (originalHome === undefined) delete process.env['HOME'];
  else process.env['HOME'] = originalHome;
});

/** Make a path longer than the system accepts before normalization. */
const paddings: Readonly<Record<string, (path: string) => string>> = {
  'a name that is too long': (path) => `/${longName}/..${path}`,
  'a name that is too long, in a file URL': (path) => `file:///${longName}/..${path}`,
  'several names that are too long': (path) => `/${`${longName}/${longName}/../../`.repeat(50)}${path}`,
  'leading separators': (path) => '/'.repeat(5000) + path,
  'separators in the middle': (path) => `${dirname(path)}${'/'.repeat(5000)}${path.slice(dirname(path).length + 1)}`,
  'leading dots': (path) => '/./'.repeat(2000) + path,
  'parents of the root': (path) => `/..`.repeat(3000) + path,
  'parents of the working directory': (path) => `../`.repeat(3000) + path.slice(1),
  'percent-encoded parents': (path) => `file:///${longName}/%2e%2e${path}`,
};

suite('file guard against long paths', () => {
  for (const [label, padded] of Object.entries(paddings))
    test(`recognizes a path with ${label}`, async () => {
      assertDenied(await guarded.call(read, { path: padded(token) }), 'a read of the token');
      assertDenied(await guarded.call('mcp__notes__run', { command: `cat ${padded(token)}` }), 'a command');
      for (const name of ['signalbox.config.json', 'src/signalbox.config.json', 'tools/notes.mjs'])
        assertAsked(await guarded.call(write, { path: padded(join(project, name)), content: '{}' }), name);
    });

  test('a word that stays too long is denied if it names a closed file, and asks if it names a protected one', async () => {
    const word = `${data}/${longName}`;
    assertDenied(await guarded.call('mcp__notes__read', { text: `see ${word}` }), 'the data directory');
    const config = `${project}/${longName}/signalbox.config.json`;
    assertAsked(await guarded.call('mcp__notes__run', { text: `see ${config}` }), 'a configuration');
  });

  test('long texts without such names pass', async () => {
    const texts = [
      'x'.repeat(100_000),
      `/9j/${'4AAQ'.repeat(50_000)}`,
      'Some words. '.repeat(20_000),
      '../'.repeat(3000),
    ];
    for (const text of texts) {
      assertRan(await guarded.call('mcp__notes__write', { text }), text.slice(0, 20));
      assertRan(await guarded.call('mcp__notes__read', { text }), text.slice(0, 20));
    }
  });
});

suite('file guard against malformed file URLs', () => {
  const split = (text: string, by: string): string => text.replace('.signalbox', `.sig${by}nalbox`);
  const urls: Readonly<Record<string, string>> = {
    'a leading control character': split(`\u0001file://${token}`, '\t'),
    'a tab in the scheme': split(`fi\tle://${token}`, '\t'),
    'a line break in the scheme': split(`fi\r\nle://${token}`, '\n'),
    'a leading space and a tab in the path': split(` file://${token}`, '\t'),
    'all of these': split(`\u0001 \nF\tile:\r\n//${token} \u0002`, '\r'),
    'backslashes and a tab in the scheme': split(`f\tile:\\\\\\${token.slice(1).replaceAll('/', '\\')}`, '\t'),
  };
  for (const [label, uri] of Object.entries(urls))
    test(`recognizes a URL with ${label}`, async () => {
      assertDenied(await guarded.call('mcp__notes__read', { uri }), 'a read');
      assertDenied(await guarded.call('mcp__notes__write', { uri }), 'a write');
    });
});

suite('file guard against commands that hide a path', () => {
  const fromProject = relative(project, data);
  const commands: Readonly<Record<string, string>> = {
    'changes to the home directory': 'cd; cat .signalbox/token',
    'changes to the home directory with an option': 'cd -P && cat .signalbox/token',
    'changes to it in two steps': 'cd; cd .signalbox; cat token',
    'changes the directory step by step': `cd / && cd ${place.slice(1)} && cd home && cat .signalbox/token`,
    'changes it in a subshell': `cd ${place}; (cd home; cd .signalbox; cat token)`,
    'continues a line inside the name': 'cat ~/.signal\\\nbox/token',
    'has an ANSI-C quote in the name': "cat ~/.signal$'box'/token",
    'has an escape in an ANSI-C quote': String.raw`cat ~/.signal$'\x62ox'/token`,
    'has an octal escape': String.raw`cat ~/$'\56signalbox'/token`,
    'has a translated quote in the name': 'cat ~/.signal$"box"/token',
    'starts from the working directory of the shell': `cat ~+/${fromProject}/token`,
    'names the working directory': `cat "\${PWD}"/${fromProject}/token`,
    'starts from the home of another user': `cat ~nobody/../home/.signalbox/token`,
  };
  for (const [label, command] of Object.entries(commands))
    test(`denies a command that ${label}`, async () => {
      assertDenied(await guarded.call('mcp__notes__run', { command }), 'a tool that runs commands');
      assertDenied(await guarded.claude('Bash', { command }), 'Bash');
    });

  test('a move, copy or removal asks or is denied, even if the parser rejects the command', async () => {
    const comment = ` #${'x'.repeat(17_000)}`;
    for (const command of [`cp -r ${home} copy${comment}`, `rm -rf ${project}${comment}`, `mv ${project} x; echo "`])
      assertAsked(await guarded.call('mcp__notes__run', { command }), command.slice(0, 60));
    for (const command of [`r\\\nm -rf ${home}`, `'cp' -r ${home} copy`, `cd / && cd ${place.slice(1)} && rm -rf home`])
      assertDenied(await guarded.call('mcp__notes__run', { command }), command);
    for (const command of [`rm -f src/a.txt${comment}`, `rm -f src/none "`])
      assertRan(await guarded.call('mcp__notes__run', { command }), command.slice(0, 60));
    assertRan(await guarded.call('mcp__notes__run', { text: "Please don't move the meeting." }), 'prose');
  });
});

suite('file guard against paths split over arguments', () => {
  test('recognizes a path in three parts, and a path next to any number of directories', async () => {
    assertDenied(await guarded.call('mcp__notes__read', { a: place, b: 'home', c: '.signalbox/token' }), 'three parts');
    const directories = Array.from({ length: 30 }, (_, index) => join(place, `d${index}`));
    for (const each of directories) mkdirSync(each, { recursive: true });
    const args = { directories, dir: join(data, '..'), file: '.signalbox/token' };
    assertDenied(await guarded.call('mcp__notes__write', args), '31 directories');
  });
});

/** These calls took up to 20 s of CPU time in an earlier version. */
suite('CPU time of the file guard', () => {
  const closed = temporaryDirectory({ after });
  const allowed: Decision = { answer: 'allow', rule: 'all', reason: 'a rule' };
  const directories = '/ /usr /usr/lib /etc /var /tmp /home /usr/bin /root /opt /usr/share /var/lib /dev'.split(' ');
  const many = Array.from({ length: 4900 }, (_, index) => `../../${'usr/lib/../'.repeat(20)}f${index}`);
  const nested = `rm x;${'$('.repeat(200)}${'a;'.repeat(7600)}${')'.repeat(200)}`.slice(0, 16_384);
  const calls: Readonly<Record<string, JsonObject>> = {
    'commands that are slow to parse': {
      list: Array.from({ length: 64 }, (_, index) => `${nested}${index}`.slice(-16_384)),
    },
    'paths and directories': { directories, list: many },
    'parts of paths': { list: Array.from({ length: 4900 }, (_, index) => `/usr/${index}`), directories },
    'deep paths': { list: Array.from({ length: 250 }, (_, index) => `/usr${'/a/..'.repeat(800)}/${index}`) },
    'an open quote and spaces': { text: `${closed} "${' '.repeat(500_000)}` },
    'directories and operands': { command: `${'cd a;'.repeat(1500)}${'rm b;'.repeat(1500)}` },
    'names near the limit': { list: Array.from({ length: 250 }, () => `${'b'.repeat(255)}/`.repeat(15)) },
    'changes of the directory': { command: 'cd "'.repeat(50_000) },
    'ANSI-C quotes': { command: String.raw`$'\q`.repeat(50_000) },
    'a long climb': { command: `cd ${'../'.repeat(60_000)}` },
    'a long word': { text: `${closed} ${'/../a'.repeat(200_000)}` },
  };
  for (const [label, args] of Object.entries(calls))
    for (const effect of ['read', 'irreversible'] as const)
      test(`is bounded for ${label}, in a call with the effect ${effect}`, () => {
        const guard = new FileGuard(closed);
        const call = {
          principal: { id: 'agent', kind: 'agent' },
          effect,
          server: 's',
          tool: 't',
          workspace: [],
          permissionMode: undefined,
        } as const;
        guard.decide({ ...call, arguments: { path: '/usr/lib' } }, allowed);
        const before = process.cpuUsage();
        const { answer } = guard.decide({ ...call, arguments: args }, allowed);
        const { user, system } = process.cpuUsage(before);
        // The goal is 50 ms; machines that run all tests at once are slower.
        assert.ok((user + system) / 1000 < 250, `${(user + system) / 1000} ms`);
        const padded = { ...args, last: join(closed, 'token') };
        assert.equal(guard.decide({ ...call, arguments: padded }, allowed).answer, 'deny', `padded, after ${answer}`);
      });

  test('an ordinary call with many strings passes', () => {
    const guard = new FileGuard(closed);
    const rows = Array.from({ length: 1200 }, (_, index) => ({
      id: `row ${index}`,
      city: `Zürich ${index}`,
      mail: `a${index}@b.example`,
    }));
    for (const effect of ['read', 'undoable'] as const) {
      const principal = { id: 'agent', kind: 'agent' } as const;
      const call = { principal, effect, server: 's', tool: 'insert_rows', workspace: [], permissionMode: undefined };
      assert.deepEqual(guard.decide({ ...call, arguments: { rows } }, allowed), allowed);
    }
  });
});
