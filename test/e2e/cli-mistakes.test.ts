import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Place, sourceLauncher } from './cli-place.ts';

const servers = {
  'signalbox.config.json': JSON.stringify({
    mcpServers: { notes: { module: './notes.ts' }, other: { module: './notes.ts' } },
  }),
  'notes.ts': `import { defineTool } from 'signalbox';
    export const note = defineTool({ name: 'read_note', description: 'Reads.', effect: 'read', run: () => 'read' });`,
};

describe('a mistake at the command line', () => {
  for (const [args, meant, help] of [
    [['srve'], 'serve', 'signalbox --help'],
    [['serve', '--prot', '1'], '--port', 'signalbox serve --help'],
    [['token', 'craete'], 'create', 'signalbox token --help'],
    [['token', 'create', '--role', 'agnt'], 'agent', 'signalbox token create --help'],
    [['journal', '--outcome', 'denyed'], 'denied', 'signalbox journal --help'],
    [['help', 'approv'], 'approve', 'signalbox --help'],
    [['help', 'token', 'craete'], 'create', 'signalbox token --help'],
    [['completion', 'zhs'], 'zsh', 'signalbox completion --help'],
  ] as const) {
    test(`names what was meant, and the help of its own command: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await new Place().run(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`^error usage: .*\\n  Did you mean ${meant}\\?\\n  next: ${help}\\n$`));
    });
  }

  test('in a clone, where signalbox is not on the PATH, hints name the launcher', async () => {
    const place = new Place();
    place.program = sourceLauncher;
    const { stderr } = await place.run(['srve']);
    assert.match(stderr, / {2}next: \S+bin\/signalbox --help\n$/);
  });

  test('in the name of a tool or of its server is answered with the tool that was meant', async () => {
    const place = new Place(servers);
    for (const given of ['read_nte', 'nots/read_note']) {
      const { code, stderr } = await place.run(['call', given]);
      assert.equal(code, 1);
      assert.match(stderr, /there is no tool named .*; did you mean "mcp__(notes|other)__read_note"\?/);
    }
  });

  test('in a session is answered with the session that was meant, or with the last ones', async () => {
    const place = new Place();
    await place.run(['call', 'ping', '--session', 'sess_morning']);
    for (const [command, meant] of [
      [['replay', 'sess_mornign'], /did you mean sess_morning\?/],
      [['undo', '--session', 'sess_mor'], /did you mean sess_morning\?/],
      [['undo', '--session', 'other'], /the latest sessions: sess_morning/],
    ] as const) {
      const { code, stderr } = await place.run(command);
      assert.equal(code, 1);
      assert.match(stderr, /^error session-unknown: /);
      assert.match(stderr, meant);
    }
  });
});
