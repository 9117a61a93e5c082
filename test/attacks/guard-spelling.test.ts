import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { type Attempt, GuardedBox, assertAsked, assertDenied, assertRan } from '../support/boxes/guarded-box.ts';

const guarded = await GuardedBox.open({ after });
const { data, project } = guarded;
const parent = dirname(data);
const run = (command: string): Promise<Attempt> => guarded.call('mcp__notes__run', { command });

suite('file guard against ANSI-C quotes', () => {
  const names = [
    String.raw`.sig$'\0'nalbox`,
    String.raw`.sig$'\x00abc'nalbox`,
    String.raw`.sig$'\c@'nalbox`,
    String.raw`.s$'igna\x{6c}b'ox`,
    String.raw`.s$'igna\x{0000006c}b'ox`,
    String.raw`$'\056signalbox'`,
    String.raw`.$'\163\x69g\u006ea\U0000006cb'ox`,
    String.raw`.sig$'\q'nalbox`,
    String.raw`.signal$'\M-b'ox`,
    String.raw`.signalbox$'\0junk'`,
    String.raw`.sig$'\0''nal'$'\0'box`,
  ];
  for (const name of names)
    test(`denies an agent the data directory as ${name}`, async () => {
      assertDenied(await run(`cat ${parent}/${name}/token`), 'a command');
      assertDenied(await guarded.call('mcp__notes__read', { text: `cat ${parent}/${name}/token` }), 'a read');
      assertDenied(await guarded.claude('Bash', { command: `cat ${parent}/${name}/token` }), 'Bash');
    });

  test('asks for a protected file, and for a quote that may be any name', async () => {
    for (const name of [
      String.raw`policies$'\x{2e}'yaml`,
      String.raw`pol$'\q'icies.yaml`,
      String.raw`policies.yaml$'\0junk'`,
      String.raw`$'\M-b'`,
    ])
      assertAsked(await run(`echo x >> rules/${name}`), name);
  });

  test('passes ordinary quotes and NUL separators', async () => {
    for (const command of [
      String.raw`printf $'\x1b[31mred\e[0m\n\ttab'`,
      String.raw`while IFS= read -r -d $'\0' f; do echo x; done`,
      String.raw`while IFS=$'\0' read -d$'\0' f; do echo x; done`,
      String.raw`grep -v '^$' src/a.txt | tr '\n' ' '`,
      String.raw`IFS=$'\n\t'; echo 'it\'s'`,
      String.raw`tr $'\001' $'\t' < src/a.txt`,
    ])
      assertRan(await run(command), command);
  });
});

suite('file guard against names spread over arguments', () => {
  test('joins a name and its extension', async () => {
    for (const args of [
      { dir: project, name: 'signalbox.config', extension: 'json' },
      { extension: '.json', name: 'signalbox.config', dir: project },
      { path: join(project, 'rules/policies'), format: 'yaml' },
      { dir: 'rules', file: { ext: 'yaml', base: 'policies' } },
      { dir: project, base: 'signalbox', extension: 'config.json' },
      {
        ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x${index}`, 'y'])),
        a: 'rules/policies',
        e: 'yaml',
      },
      { parts: [project, 'signalbox', 'lock'] },
    ])
      assertAsked(await guarded.call('mcp__notes__write', args), JSON.stringify(args));
    const args = { dir: parent, name: '', extension: 'signalbox', file: 'token' };
    assertDenied(await guarded.call('mcp__notes__read', args), 'the data directory');
    assertRan(await guarded.call('mcp__notes__write', { dir: 'src', name: 'a', extension: 'txt' }), 'another file');
  });
});
