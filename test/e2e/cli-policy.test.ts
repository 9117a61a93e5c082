import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { CliProject, waitForExit, waitForOutput, notesProject } from './cli-project.ts';

const configuration = JSON.parse(notesProject['signalbox.config.json']) as object;
const withPolicy = (rules: string): Readonly<Record<string, string>> => ({
  ...notesProject,
  'policies.yaml': rules,
  'signalbox.config.json': JSON.stringify({ ...configuration, policies: 'policies.yaml' }),
});
const rules = `# notes
- id: short-notes
  match: mcp__notes__add
  deny: size(args.text) > 5
  reason: notes are short
- { id: notes, match: "mcp__notes__*", allow: true }
- { id: someday, match: "mcp__notes__*", deny: true, mode: shadow }
`;

suite('signalbox policy', () => {
  test('check reports mistakes with file, line and column and exits with 2; call and doctor report the same', async () => {
    const project = new CliProject(withPolicy('- id: a\n  match: x\n  denny: true\n- id: b\n  deny: args.x > y\n'));
    const { code, stderr } = await project.run(['policy', 'check']);
    assert.equal(code, 2);
    assert.match(stderr, /^error policy-invalid: the rules have 2 mistakes\n/);
    assert.match(stderr, /policies\.yaml:3:3 {2}\[0\]\.denny: unknown key; did you mean "deny"\?/);
    assert.match(stderr, /policies\.yaml:5:18 {2}\[1\]\.deny: Unknown variable: y/);
    assert.equal((await project.run(['call', 'list'])).code, 2);
    assert.match((await project.run(['doctor'])).stdout, /policies\.yaml:3:3/);
    writeFileSync(join(project.directory, 'good.yaml'), rules);
    const good = await project.run(['policy', 'check', 'good.yaml', '--no-servers']);
    assert.deepEqual([good.code, good.stderr], [0, '']);
    assert.match(good.stdout, /^ok 3 rules, 1 of them in shadow mode, version [0-9a-f]{16}\n/);
    const missing = await project.run(['policy', 'check', 'missing.yaml']);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /^error file-unreadable: .*\n {2}missing\.yaml {2}cannot be read/);
    // The rules of the configuration are checked against its tools, as it was accepted.
    const own = new CliProject(withPolicy(rules));
    assert.equal((await own.run(['trust', '--yes'])).code, 0);
    const checked = await own.run(['policy', 'check'], { environment: { SIGNALBOX_TRUST: '' } });
    assert.deepEqual([checked.code, checked.stderr.includes('untrusted')], [0, false], checked.stderr);
  });

  test('check reports rules in the configuration file with their line', async () => {
    const text = JSON.stringify({ ...configuration, policies: [{ id: 'a', deny: 'args.x >' }] }, undefined, 1);
    const project = new CliProject({ ...notesProject, 'signalbox.config.json': text });
    const line = text.split('\n').findIndex((each) => each.includes('"deny"')) + 1;
    assert.match(
      (await project.run(['policy', 'check'])).stderr,
      new RegExp(`signalbox\\.config\\.json:${line}:\\d+ `),
    );
  });

  test('explain shows rule, line, values, reason and shadow decision of a call', async () => {
    const project = new CliProject(withPolicy(rules));
    const call = await project.json(['call', 'add', '{"text":"much too long"}'], 1);
    const { code, stdout } = await project.run(['policy', 'explain', String(call['callId'])]);
    assert.equal(code, 0);
    assert.match(stdout, /deny by short-notes \(policies\.yaml:2\)/);
    assert.match(stdout, /reason +notes are short\n +value +args\.text = "much too long"\n +policy +version/);
    assert.match(stdout, /shadow +deny by someday/);
    const explanation = await project.json(['policy', 'explain', String(call['callId'])]);
    assert.deepEqual(explanation['decision'], call['decision']);
    assert.equal((await project.run(['policy', 'explain', 'call_x'])).code, 1);
  });

  test('explain names the human who answered, for the call that asked and for the one that ran', async () => {
    const project = new CliProject(notesProject);
    const call = ['call', 'add', '{"text":"milk"}'];
    const explain = async (code: number): Promise<string> => {
      const { callId } = await project.json(call, code);
      return (await project.run(['policy', 'explain', String(callId)])).stdout;
    };
    const unanswered = await explain(1);
    assert.match(unanswered, /^ {2}answer {3}not answered yet \((appr_\w+)\)$/m);
    const [id = ''] = /appr_\w+/.exec(unanswered) ?? [];
    await project.run(['approve', id]);
    assert.match(await explain(0), new RegExp(`^ {2}answer {3}approved by user:\\S+ at .* \\(${id}\\)$`, 'm'));
  });

  test('doctor and serve warn of names that match nothing, with suggestions; serve prints the rules in force', async () => {
    const project = new CliProject(withPolicy(`${rules}- { id: typo, match: mcp__notes__ad, deny: true }\n`));
    const warning =
      /rule "typo" \(policies\.yaml:8\): "mcp__notes__ad" in match matches no tool; did you mean "mcp__notes__add"\?/;
    assert.match((await project.run(['doctor'])).stdout, new RegExp(`warning +${warning.source}`));
    const child = project.start(['serve', '--port', '0']);
    const ended = waitForExit(child);
    const warned = waitForOutput(child.stderr, warning);
    assert.match(
      await waitForOutput(child.stdout, /Policy .*\n/),
      /Policy +4 rules of policies\.yaml · where none matches: reads run/,
    );
    assert.equal((await warned).match(/matches no/g)?.length, 1, 'there is no other warning');
    writeFileSync(
      join(project.directory, 'policies.yaml'),
      '- { id: far, flow: { from: [privat], to: [external] } }\n- { id: own, match: mcp__claude__Bash, deny: true }\n',
    );
    assert.match(
      await waitForOutput(child.stderr, /flow\.to/),
      /rule "far" \(policies\.yaml:1\): "privat" in flow\.from matches no label/,
    );
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /mcp__claude__Bash/, 'a built-in tool of Claude Code is not a mistake');
  });

  test('a changed configuration is applied once the policy file that it names is fixed', async () => {
    const project = new CliProject(withPolicy(rules));
    const write = (name: string, text: string): void => writeFileSync(join(project.directory, name), text);
    const { child, stop } = await project.serve();
    const refused = waitForOutput(child.stderr, /not used.*\n.*other\.yaml:1:\d+ .*\n/);
    write('other.yaml', '- { id: a, deny: tru }\n');
    write('signalbox.config.json', JSON.stringify({ ...configuration, policies: 'other.yaml' }));
    await refused;
    const applied = waitForOutput(child.stderr, /configuration changed: changed the policies\n/);
    write('other.yaml', '- { id: a, deny: true }\n');
    await applied;
    await stop();
  });

  test('a denied call prints the command that explains it', async () => {
    const project = new CliProject(withPolicy(rules));
    const { code, stderr } = await project.run(['call', 'add', '{"text":"much too long"}']);
    assert.equal(code, 1);
    const [, id = ''] = /next: signalbox policy explain (call_\w+)/.exec(stderr) ?? [];
    assert.equal((await project.run(['policy', 'explain', id])).code, 0);
  });

  test('backtest prints the recorded calls that a changed policy would decide differently', async () => {
    const project = new CliProject(withPolicy(rules));
    await project.json(['call', 'add', '{"text":"long text"}'], 1);
    await project.json(['call', 'add', '{"text":"ok"}', '--session', 's']);
    await project.json(['call', 'add', '{"text":"ok2"}', '--session', 's']);
    await project.json(['call', 'list']);
    writeFileSync(
      join(project.directory, 'other.yaml'),
      '- { id: notes, match: "mcp__notes__*", allow: true }\n- { id: once, rateLimit: { match: mcp__notes__add, per: 1h, max: 1 } }\n',
    );
    const { calls, changed } = (await project.json(['policy', 'backtest', 'other.yaml'])) as unknown as {
      calls: number;
      changed: {
        tool: string;
        sessionId?: string;
        before: { answer: string };
        after: { answer: string; rule: string };
      }[];
    };
    assert.equal(calls, 4);
    assert.deepEqual(
      changed.map(({ sessionId, before, after }) => [sessionId, before.answer, after.answer, after.rule]),
      [
        [undefined, 'deny', 'allow', 'notes'],
        ['s', 'allow', 'deny', 'once'],
      ],
    );
    const { stdout } = await project.run(['policy', 'backtest', 'other.yaml']);
    assert.match(stdout, /mcp__notes__add +deny \(short-notes\) +allow \(notes\)/);
    assert.match(stdout, /2 of 4 calls would be decided differently\n$/);
    const later = await project.json(['policy', 'backtest', 'other.yaml', '--since', '2999-01-01']);
    assert.deepEqual([later['calls'], later['changed']], [0, []]);
    assert.equal(readFileSync(join(project.directory, 'policies.yaml'), 'utf8'), rules);
  });
});
