import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { suite, test } from 'node:test';
import {
  CliProject,
  notesConfiguration,
  waitForExit,
  notesModule,
  onTerminal,
  waitForOutput,
  notesProject,
} from './cli-project.ts';

suite('signalbox tools', () => {
  test('lists the built-in tools in a fresh clone, and writes nothing', async () => {
    const project = new CliProject();
    const { code, stdout, stderr } = await project.run(['tools']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^NAME +SERVER +EFFECT +DESCRIPTION\n/);
    assert.match(stdout, /^mcp__signalbox__ping +signalbox +read +\S/m);
    assert.doesNotMatch(stdout, /\u001b/, 'no colors without a terminal');
    assert.equal(existsSync(project.data), false);
  });

  test('--profile shows the tools of a profile, and --why the tools that it hides', async () => {
    const document = {
      mcpServers: { notes: { module: './notes.ts' } },
      profiles: { calm: { servers: ['notes'], tools: ['!add', '!mcp__signalbox__*'] } },
    };
    const project = new CliProject({ 'notes.ts': notesModule, 'signalbox.config.json': JSON.stringify(document) });
    const { items } = (await project.json(['tools', '--profile', 'calm'])) as { items: { name: string }[] };
    assert.deepEqual(
      items.map(({ name }) => name),
      ['mcp__notes__list', 'mcp__notes__wait'],
    );
    const { stdout } = await project.run(['tools', '--profile', 'calm', '--why']);
    assert.match(stdout, /hidden mcp__notes__add \(profile "calm" excludes it with "!add"\)/);
    const unknown = await project.run(['tools', '--profile', 'clam']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /profile-unknown: there is no profile named "clam"; did you mean "calm"\?/);
  });

  test('--why shows the problem of a failing server, which hides no other', async () => {
    const project = new CliProject({
      'notes.ts': notesModule,
      'throws.ts': 'throw new Error("no database")',
      'enum.ts': 'enum A { B } export default A;',
      'signalbox.config.json': JSON.stringify({
        mcpServers: {
          throws: { module: './throws.ts' },
          enum: { module: './enum.ts' },
          notes: { module: './notes.ts' },
          off: { module: './notes.ts', disabled: true },
          files: { command: 'no-such-program' },
        },
      }),
    });
    const { items, hidden, servers } = (await project.json(['tools', '--why'])) as {
      items: { name: string; effect: string; inputSchema: unknown }[];
      hidden: { name: string; by: string; reason: string; since: number }[];
      servers: { name: string; status: string; reason?: string; since: number }[];
    };
    assert.ok(
      items.some((tool) => tool.name === 'mcp__notes__add' && tool.effect === 'irreversible' && tool.inputSchema),
    );
    assert.deepEqual(
      servers.map(({ name, status }) => `${name} ${status}`),
      ['signalbox up', 'throws down', 'enum down', 'notes up', 'off disabled', 'files down'],
    );
    assert.match(servers[1]?.reason ?? '', /no database/);
    assert.match(servers[2]?.reason ?? '', /Node removes types but compiles nothing/);
    assert.match(servers[5]?.reason ?? '', /the program "no-such-program" was not found/);
    assert.ok(hidden.some((tool) => tool.name === 'mcp__off__add' && tool.by === 'server-disabled' && tool.since > 0));
    assert.match(
      hidden.find(({ name }) => name === 'mcp__notes__odd')?.reason ?? '',
      /its input schema cannot be used/,
    );

    const shown = await project.run(['tools', '--why']);
    assert.match(
      shown.stdout,
      /^throws is down, since \d{4}-\d\d-\d\d [\d:]{8}: .*no database \(at .*throws\.ts:1\)$/m,
    );
    assert.match(
      (await project.run(['tools'])).stdout,
      /4 servers are not up, 5 tools are hidden; signalbox tools --why shows the reasons/,
    );
  });
});

suite('signalbox call', () => {
  test('prints only the result on standard output, and everything else on standard error', async () => {
    const project = new CliProject(notesProject);
    const { code, stdout, stderr } = await project.run(['call', 'notes/list']);
    assert.deepEqual([code, stdout], [0, '["milk"]\n']);
    assert.match(stderr, /^completed in [\d.]+ m?s · decision default:read · call_\w+$/m);
    assert.match(stderr, /a module that prints/, 'output of modules is not part of the result');
  });

  test('--json prints the complete result', async () => {
    const project = new CliProject(notesProject);
    const result = await project.json(['call', 'list', '--as', 'bot', '--session', 's1', '--key', 'k1']);
    assert.deepEqual(
      [result['tool'], result['outcome'], result['structuredContent'], result['decision']],
      [
        'mcp__notes__list',
        'completed',
        ['milk'],
        { answer: 'allow', rule: 'default:read', reason: 'reads are allowed' },
      ],
    );
    assert.ok(typeof result['callId'] === 'string' && typeof result['durationMs'] === 'number');
    const { items } = (await project.json(['journal', '--session', 's1', '--outcome', 'completed'])) as {
      items: Record<string, unknown>[];
    };
    assert.deepEqual([items[0]?.['principal'], items[0]?.['idempotencyKey']], [{ id: 'bot', kind: 'agent' }, 'k1']);
  });

  test('a call that asks without a terminal awaits its approval, and exits with 1', async () => {
    const project = new CliProject(notesProject);
    const { code, stdout, stderr } = await project.run(['call', 'add', '-'], { input: '{"text":"milk"}' });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^awaiting-approval approval-awaited: /m);
    const [, id = ''] = /^ {2}next: signalbox approve (appr_\w+); then run the same command again$/m.exec(stderr) ?? [];
    assert.equal((await project.run(['approve', id])).code, 0, stderr);
    assert.equal((await project.json(['call', 'add', '{"text":"x"}'], 1))['outcome'], 'awaiting-approval');
  });

  for (const [key, outcome, code] of [
    ['y', 'completed', 0],
    ['n', 'denied', 1],
    ['', 'denied', 1],
    ['\u0003', 'cancelled', 1],
  ] as const) {
    test(`shows the exact call on a terminal, and ${JSON.stringify(key)} makes it ${outcome}`, onTerminal, async () => {
      const project = new CliProject(notesProject);
      const child = project.startOnTerminal(['call', 'add', '{"text":"milk \u202ekool"}']);
      const ended = waitForExit(child);
      const question = await waitForOutput(child.stdout, /Run it\? \[y\/N\] /);
      assert.match(question, /mcp__notes__add wants to run/);
      assert.match(question, /effect: irreversible/);
      assert.match(question, /"text": "milk \\u202ekool"/, 'invisible characters are shown');
      assert.match(question, /asks because: .*cannot be undone/);
      child.stdin.write(key === '\u0003' ? key : `${key}\r`);
      const { code: actual, stdout } = await ended;
      assert.equal(actual, code, stdout);
      assert.match(stdout, new RegExp(`${outcome} in `));
      const { items } = (await project.json(['journal', '--tool', 'notes/add', '--outcome', outcome])) as {
        items: unknown[];
      };
      assert.equal(items.length, 1);
    });
  }

  test('Ctrl-C cancels the call, which is recorded', async () => {
    const project = new CliProject(notesProject);
    const child = project.start(['call', 'wait']);
    const ended = waitForExit(child);
    await waitForOutput(child.stderr, /waiting/);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(stderr, /^cancelled caller-cancelled: /m);
    const { items } = (await project.json(['journal', '--outcome', 'cancelled'])) as { items: { tool: string }[] };
    assert.deepEqual(
      items.map((item) => item.tool),
      ['mcp__notes__wait'],
    );
  });

  test('--timeout ends a call that takes too long', async () => {
    const result = await new CliProject(notesProject).json(['call', 'wait', '--timeout', '100ms'], 1);
    assert.equal(result['outcome'], 'timed-out');
  });

  test('arguments that are not JSON are rejected with 2 and the position', async () => {
    const { error } = await new CliProject().json(['call', 'ping', '{"a": oops}'], 2);
    const { code, line, column } = error as Record<string, unknown>;
    assert.deepEqual([code, line, column], ['usage', 1, 7]);
  });

  test('an ambiguous name is rejected with the full names', async () => {
    const mcpServers = { one: { module: './notes.ts' }, two: { module: './notes.ts' } };
    const project = new CliProject({
      'notes.ts': notesModule,
      'signalbox.config.json': JSON.stringify({ mcpServers }),
    });
    const { code, stderr } = await project.run(['call', 'list']);
    assert.equal(code, 2);
    assert.match(stderr, /"list" is the name of 2 tools\n +mcp__one__list\n +mcp__two__list\n/);
  });

  test('a secret of the configuration never reaches the journal; one that is too short is rejected', async () => {
    const project = new CliProject({
      ...notesProject,
      'signalbox.config.json': notesConfiguration.replace('{', '{"secrets":["PLANTED"],'),
    });
    await project.run(['call', 'add', '{"text":"hunter2hunter2"}'], { environment: { PLANTED: 'hunter2hunter2' } });
    const { stdout } = await project.run(['journal', 'export']);
    assert.match(stdout, /\[redacted:PLANTED\]/);
    assert.doesNotMatch(stdout, /hunter2/);
    const { code, stderr } = await project.run(['call', 'list'], { environment: { PLANTED: 'ab' } });
    assert.equal(code, 2);
    assert.match(stderr, /secret-invalid: .*PLANTED/);
  });
});
