import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { mcpServer } from '../../src/index.ts';
import { claudeCliRuntime } from '../../src/runtimes/claude/cli/claude-cli-runtime.ts';
import { claudeRuntime } from '../../src/runtimes/claude/sdk/claude-runtime.ts';
import type { ClaudeCodeOptions } from '../../src/runtimes/claude/shared/claude-options.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { createSessions } from '../../src/sessions/create-sessions.ts';
import type { Sessions } from '../../src/sessions/sessions.ts';
import { until } from '../mcp-servers/boxed.ts';
import { referenceServer } from '../mcp-servers/programs.ts';
import { type ClaudeFixture, openClaudeFixture } from '../support/runtime/claude-fixture.ts';
import { toModelInput, imagesIn } from '../support/model/messages-server.ts';
import { noisePng } from '../support/png.ts';
import { ann, eventsUntil, runTurn, textOf, typesOf } from '../support/sessions/session-fixture.ts';

const runtimes: readonly [string, (options: ClaudeCodeOptions) => Runtime][] = [
  ['claude', claudeRuntime],
  ['claude-cli', claudeCliRuntime],
];

for (const [name, createRuntime] of runtimes) {
  describe(`sessions with the real Claude CLI through ${name}`, () => {
    async function openSessions(t: TestContext): Promise<{ fixture: ClaudeFixture; sessions: Sessions }> {
      let runtime: Runtime | undefined;
      const fixture = await openClaudeFixture((options) => (runtime = createRuntime(options)));
      assert.ok(runtime !== undefined);
      const agent = { name, runtime, runtimeTools: fixture.own };
      const sessions = await createSessions({
        box: fixture.box,
        agents: { defaultName: name, list: () => [agent] },
        cwd: fixture.workspace,
      });
      t.after(async () => {
        await sessions.close({ graceMs: 0 });
        await fixture.close();
      });
      return { fixture, sessions };
    }

    test('run tools, an approval, a second turn that remembers the first, and a fork', async (t) => {
      const { fixture, sessions } = await openSessions(t);
      fixture.approve = () => new Promise(() => undefined);
      const { id } = await sessions.create({}, ann);

      fixture.calls(['mcp__signalbox__ping', {}]);
      const first = await runTurn(sessions, id, 'ping the server');
      assert.equal(first.find((event) => event.type === 'tool_result')?.outcome, 'completed');
      assert.match(textOf(first), /heard: .*pong/);
      const status = first.findLast((event) => event.type === 'session_status');
      assert.deepEqual(
        status?.servers.map((server) => [server.name, server.status]),
        [
          ['signalbox', 'up'],
          ['local', 'up'],
        ],
      );
      assert.ok(status.model !== undefined && (await sessions.get(id)).model === status.model);

      fixture.calls(['Bash', { command: 'echo from bash' }]);
      await sessions.send(id, 'run it', ann);
      const required = (await eventsUntil(sessions, id, ({ type }) => type === 'approval_required')).at(-1);
      assert.ok(required?.type === 'approval_required');
      assert.equal(required.toolName, 'mcp__claude__Bash');
      await sessions.approve(id, required.toolCallId, { by: ann });
      const second = await eventsUntil(sessions, id, ({ type }) => type === 'done');
      assert.match(textOf(second), /from bash/);
      const result = second.find((event) => event.type === 'tool_result');
      assert.equal(result?.toolCallId, required.toolCallId);
      assert.ok(typesOf(second).indexOf('approval_resolved') < typesOf(second).indexOf('tool_result'));

      fixture.script = () => [{ type: 'text', text: 'I remember' }];
      const fork = await sessions.fork(id, ann);
      assert.equal(textOf(await runTurn(sessions, fork.id, 'do you remember?')), 'I remember');
      const conversation = JSON.stringify(fixture.api.requests.at(-1));
      for (const message of ['ping the server', 'run it', 'do you remember?'])
        assert.ok(conversation.includes(message), message);
      assert.equal(textOf(await runTurn(sessions, id, 'and you?')), 'I remember');
      assert.ok(!JSON.stringify(fixture.api.requests.at(-1)).includes('do you remember?'), 'the fork is separate');
    });

    test('a form of the reference server is answered in the session; sampling is refused with the setting that allows it', async (t) => {
      const { fixture, sessions } = await openSessions(t);
      fixture.approve = () => ({ allow: true });
      const everything = mcpServer({ name: 'everything', transport: referenceServer('everything') });
      fixture.box.servers.add(everything);
      await until(() => everything.health().state === 'up', 'the server is up');
      await fixture.box.call('mcp__everything__get-roots-list');
      const { id } = await sessions.create({}, ann);

      fixture.calls(['mcp__everything__trigger-elicitation-request', {}]);
      await sessions.send(id, 'who am I?', ann);
      const request = (await eventsUntil(sessions, id, ({ type }) => type === 'elicitation_required')).at(-1);
      assert.ok(request?.type === 'elicitation_required');
      assert.equal(request.server, 'everything');
      const content = { name: 'Ada Lovelace', email: 'ada@example.org', integer: 7 };
      await sessions.answerElicitation(id, request.elicitationId, { action: 'accept', content }, ann);
      const events = await eventsUntil(sessions, id, ({ type }) => type === 'done');
      assert.match(textOf(events), /Name: Ada Lovelace/);
      const result = events.find((event) => event.type === 'tool_result');
      assert.equal(result?.toolCallId, request.toolCallId);

      fixture.calls(['mcp__everything__trigger-sampling-request', { prompt: 'the weather' }]);
      const refused = textOf(await runTurn(sessions, id, 'and the weather?'));
      assert.match(refused, new RegExp(`the runtime .?"${name}.*add an agent with`));
    });

    test('an image of 480 KB reaches the model as an image, and a text of 45 KB in full', async (t) => {
      const fixture = await openClaudeFixture(createRuntime);
      t.after(() => fixture.close());
      const picture = noisePng(400, 400);
      const text = `${'word '.repeat(9000)}the end`;
      writeFileSync(join(fixture.workspace, 'picture.png'), picture);
      writeFileSync(join(fixture.workspace, 'long.txt'), text);
      const files = mcpServer({ name: 'files', transport: referenceServer('filesystem', [fixture.workspace]) });
      fixture.box.servers.add(files);
      await files.ready();
      fixture.approve = () => ({ allow: true });
      fixture.calls(
        ['mcp__files__read_media_file', { path: join(fixture.workspace, 'picture.png') }],
        ['mcp__files__read_text_file', { path: join(fixture.workspace, 'long.txt') }],
      );
      await fixture.turn('look');
      const request = fixture.api.requests.at(-1);
      assert.ok(request !== undefined);
      assert.deepEqual(imagesIn(request), [picture.toString('base64')]);
      assert.ok(toModelInput(request).results.some((result) => result.text === text));
    });
  });
}
