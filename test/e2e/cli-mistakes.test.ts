import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliProject, sourceLauncher } from './cli-project.ts';

const servers = {
  'signalbox.config.json': JSON.stringify({
    mcpServers: { notes: { module: './notes.ts' }, other: { module: './notes.ts' } },
  }),
  'notes.ts': `import { defineTool } from 'signalbox';
    export const note = defineTool({ name: 'read_note', description: 'Reads.', effect: 'read', run: () => 'read' });`,
};

describe('mistake on the command line', () => {
  for (const [args, suggestion, help] of [
    [['srve'], 'serve', 'signalbox --help'],
    [['serve', '--prot', '1'], '--port', 'signalbox serve --help'],
    [['token', 'craete'], 'create', 'signalbox token --help'],
    [['token', 'create', '--role', 'agnt'], 'agent', 'signalbox token create --help'],
    [['journal', '--outcome', 'denyed'], 'denied', 'signalbox journal --help'],
    [['help', 'approv'], 'approve', 'signalbox --help'],
    [['help', 'token', 'craete'], 'create', 'signalbox token --help'],
    [['completion', 'zhs'], 'zsh', 'signalbox completion --help'],
  ] as const) {
    test(`is answered with a suggestion and the help of its command: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await new CliProject().run(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`^error usage: .*\\n  Did you mean ${suggestion}\\?\\n  next: ${help}\\n$`));
    });
  }

  test('is answered with the launcher in a clone, where signalbox is not on the PATH', async () => {
    const project = new CliProject();
    project.program = sourceLauncher;
    const { stderr } = await project.run(['srve']);
    assert.match(stderr, / {2}next: \S+bin\/signalbox --help\n$/);
  });

  test('in the name of a tool or of its server is answered with the closest tool', async () => {
    const project = new CliProject(servers);
    for (const name of ['read_nte', 'nots/read_note']) {
      const { code, stderr } = await project.run(['call', name]);
      assert.equal(code, 1);
      assert.match(stderr, /there is no tool named .*; did you mean "mcp__(notes|other)__read_note"\?/);
    }
  });

  test('in the name of a server names the server; in the name of an argument, the closest one', async () => {
    const project = new CliProject(servers);
    const { stderr } = await project.run(['call', 'mail/send']);
    assert.match(stderr, /there is no tool named "mcp__mail__send", since there is no server named "mail"/);
    const misspelled = await project.run(['call', 'read_result', '{"urii":"signalbox://results/x"}']);
    assert.match(misspelled.stderr, /did you mean "uri" instead of "urii"\?/);
  });

  test('in a session id is answered with the closest session, or with the latest ones', async () => {
    const project = new CliProject();
    await project.run(['call', 'ping', '--session', 'sess_morning']);
    for (const [command, suggestion] of [
      [['replay', 'sess_mornign'], /did you mean sess_morning\?/],
      [['undo', '--session', 'sess_mor'], /did you mean sess_morning\?/],
      [['undo', '--session', 'other'], /the latest sessions: sess_morning/],
    ] as const) {
      const { code, stderr } = await project.run(command);
      assert.equal(code, 1);
      assert.match(stderr, /^error session-unknown: /);
      assert.match(stderr, suggestion);
    }
  });
});
