import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fullNames } from '../../src/core/tools/tool-names.ts';
import { CliProject, waitForExit, waitForOutput } from './cli-project.ts';

const own = 'playwright_get_visible_text_of_the_page_that_is_open_right_now';
const id = { server: 'web', tool: own };
const names = fullNames(id);
const [rendered = ''] = names;
const tools = `
const tool = (name) => ({ name, description: name, effect: 'read', input: { type: 'object' }, run: () => 'ran ' + name });
export default [tool('${own}'), tool('click')];
`;

function createProject(entry: object, rules?: string): CliProject {
  const configuration = {
    mcpServers: { web: { module: './tools.mjs', ...entry } },
    ...(rules === undefined ? {} : { policies: 'policies.yaml' }),
  };
  return new CliProject({
    'tools.mjs': tools,
    'signalbox.config.json': JSON.stringify(configuration),
    ...(rules === undefined ? {} : { 'policies.yaml': rules }),
  });
}

suite('tools with long names', () => {
  test('are denied by a rule with any of their names, and policy check warns of none of these rules', async () => {
    const rules = [...names, own, '*get_visible_text*'].map(
      (match, index) => `- { id: rule-${index}, match: "${match}", deny: true }\n`,
    );
    assert.ok(rendered.length <= 60);
    for (const rule of rules) {
      const project = createProject({}, rule);
      const { outcome, decision } = await project.json(['call', own], 1);
      assert.deepEqual([outcome, (decision as { answer: string }).answer], ['denied', 'deny'], rule);
    }
    const { code, stderr } = await createProject({}, rules.join('')).run(['policy', 'check']);
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /warning/);
  });

  test('are accepted in every form by call and journal', async () => {
    const project = createProject({});
    for (const name of [...names, `web/${own}`, own]) {
      const { outcome, tool } = await project.json(['call', name]);
      assert.deepEqual([outcome, tool], ['completed', rendered], name);
    }
    for (const name of [rendered, `mcp__web__${own}`, `web/${own}`]) {
      const { items } = await project.json(['journal', '--tool', name]);
      assert.equal((items as unknown[]).length, names.length + 2, name);
    }
  });

  test('get a fix from doctor that works as printed', async () => {
    const project = createProject({});
    const { stdout } = await project.run(['doctor']);
    const [, fix = ''] = /add ("rename":\{.*?\}) to mcpServers\.web\.tools/.exec(stdout) ?? [];
    assert.notEqual(fix, '', stdout);
    const file = join(project.directory, 'signalbox.config.json');
    const configuration = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { web: object } };
    const block = JSON.parse(`{${fix}}`) as { rename: Record<string, string> };
    const web = { ...configuration.mcpServers.web, tools: block };
    writeFileSync(file, JSON.stringify({ ...configuration, mcpServers: { web } }));
    const again = await project.run(['doctor']);
    assert.doesNotMatch(again.stdout, /shortened/);
    const { tool } = await project.json(['call', block.rename[own] ?? '']);
    assert.equal(tool, `mcp__web__${block.rename[own]}`);
  });
});

suite('names that match nothing', () => {
  test('in rules are reported by policy check, also in session history, which still exits with 0', async () => {
    const rules = `
- { id: typo, match: mcp__web__clik, deny: true }
- { id: past, match: mcp__web__click, deny: "session.count('mcp__web__scroll') > 3" }
- { id: bare, match: click, allow: true }
`;
    const project = createProject({}, rules);
    const { code, stdout, stderr } = await project.run(['policy', 'check']);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /warning rule "typo" \(policies\.yaml:2\): "mcp__web__clik" in match matches no tool; did you mean "mcp__web__click"\?/,
    );
    assert.match(stderr, /rule "past" .* "mcp__web__scroll" in deny matches no tool/);
    assert.match(stderr, /rule "bare" .* "click" in match matches no tool/);
    assert.match(stdout, /ok 3 rules/);
    assert.equal(((await project.json(['policy', 'check']))['warnings'] as unknown[]).length, 3);
    assert.doesNotMatch((await project.run(['policy', 'check', '--no-servers'])).stderr, /warning/);
  });

  test('in the tools block are reported by doctor, tools --why and serve', async () => {
    const project = createProject({
      tools: { effect: { '*': 'irreversible', 'clck*': 'read' }, labels: { clik: ['x'] } },
    });
    const pattern = /effect pattern "clck\*" in signalbox\.config\.json matches no tool of this server/;
    const key =
      /labels in signalbox\.config\.json names "clik", which is not a tool of this server; did you mean "click"\?/;
    for (const command of [['doctor'], ['tools', '--why']]) {
      const { stdout } = await project.run(command);
      assert.match(stdout, pattern);
      assert.match(stdout, key);
    }
    const { items } = await project.json(['tools']);
    const effects = (items as { id: { server: string }; effect: string }[]).filter((each) => each.id.server === 'web');
    assert.deepEqual(new Set(effects.map(({ effect }) => effect)), new Set(['irreversible']));
    const child = project.start(['serve', '--port', '0']);
    const ended = waitForExit(child);
    await waitForOutput(child.stderr, pattern);
    child.kill('SIGTERM');
    await ended;
  });
});
