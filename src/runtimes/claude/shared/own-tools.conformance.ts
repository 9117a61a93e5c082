import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, after, before, beforeEach, describe, test } from 'node:test';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { type ClaudeFixture, openClaudeFixture } from '../../../../test/support/runtime/claude-fixture.ts';
import { mcpServer } from '../../../sources/mcp/mcp-server.ts';
import type { Runtime } from '../../runtime.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';

/** Adds a server with resources and prompts for the duration of a test. */
async function mountFixture({ box }: ClaudeFixture, t: TestContext): Promise<void> {
  const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
  box.servers.add(fixture);
  t.after(() => box.servers.remove('fixture'));
  await fixture.ready();
}

/** Conformance tests of both Claude Code runtimes: the built-in tools of Claude Code together with those of the box. */
export function ownToolsConformance(name: string, make: (options: ClaudeCodeOptions) => Runtime): void {
  describe(`tools of Claude Code (${name})`, () => {
    let place: ClaudeFixture;
    const pathOf = (file: string): string => join(place.workspace, file);
    const approved: string[] = [];
    before(async () => {
      place = await openClaudeFixture(make);
    });
    after(() => place.close());
    beforeEach(() => {
      approved.length = 0;
      place.approve = () => ({ allow: false, reason: 'no approval was expected' });
    });
    const approveAll = (): void => {
      place.approve = ({ tool, arguments: args }) => {
        approved.push(`${tool.id.tool} ${JSON.stringify(args)}`);
        return { allow: true };
      };
    };

    test('runs the built-in server: ping, and server info with and without uptime', async () => {
      place.calls(
        ['mcp__signalbox__ping', {}],
        ['mcp__signalbox__get_server_info', {}],
        ['mcp__signalbox__get_server_info', { include_uptime: true }],
      );
      const { text, results } = await place.turn('who are you?', { session: 'about' });
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['completed', 'completed', 'completed'],
      );
      const [ping, without, uptime] = text.replace(/^\w+: /, '').split(' | ');
      assert.match(ping ?? '', /"status":\s*"pong"/);
      assert.match(without ?? '', /"product":\s*"Signalbox"/);
      assert.doesNotMatch(without ?? '', /uptime/);
      assert.match(uptime ?? '', /"uptime_seconds":\s*[\d.]+/);
    });

    test('lists and reads resources of servers, and records each read under the principal of the agent', async (t) => {
      await mountFixture(place, t);
      place.calls(
        ['ListMcpResourcesTool', { server: 'fixture' }],
        ['ReadMcpResourceTool', { server: 'fixture', uri: 'note://two' }],
      );
      const { text, results } = await place.turn('read the second note', { session: 'resources' });
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['completed', 'completed'],
      );
      assert.match(text, /note:\/\/one.*note:\/\/three.*the text of note:\/\/two/s);
      const tool = 'mcp__fixture__resources/read';
      const { items } = await place.box.journal.query({ type: 'ToolInvoked', tool, session: 'resources' });
      assert.partialDeepStrictEqual(items, [
        { server: 'fixture', arguments: { uri: 'note://two' }, principal: { id: 'suite', kind: 'agent' } },
      ]);
    });

    test('asks for approval of a write, records it with its changes, and can undo it', async () => {
      approveAll();
      place.calls(['Write', { file_path: pathOf('new.txt'), content: 'hello\n' }]);
      const { results, reason } = await place.turn('write', { session: 'write' });
      assert.deepEqual([results[0]?.outcome, reason], ['completed', 'end']);
      assert.equal(approved.length, 1, 'one approval');
      assert.deepEqual(
        results[0]?.changes?.map(({ path, kind }) => [path, kind]),
        [['new.txt', 'added']],
      );
      assert.equal(readFileSync(pathOf('new.txt'), 'utf8'), 'hello\n');
      const [call] = await place.invoked('write');
      assert.deepEqual(
        [call?.tool, call?.outcome, call?.adapter],
        ['mcp__claude__Write', 'completed', 'runtime:claude'],
      );
      assert.deepEqual(
        call?.changes?.map(({ path, kind }) => [path, kind]),
        [['new.txt', 'added']],
      );
      assert.equal((await place.box.undo.call(call?.callId ?? '')).outcome, 'undone');
      assert.ok(!existsSync(pathOf('new.txt')));
    });

    test('does not run a denied write, and gives the model the reason', async () => {
      place.approve = () => ({ allow: false, reason: 'not allowed here' });
      place.calls(['Write', { file_path: pathOf('denied.txt'), content: 'x' }]);
      const { text, results } = await place.turn('write', { session: 'denied' });
      assert.equal(results[0]?.outcome, 'denied');
      assert.match(text, /not allowed here/);
      assert.ok(!existsSync(pathOf('denied.txt')));
      assert.deepEqual(
        (await place.invoked('denied')).map(({ outcome }) => outcome),
        ['denied'],
      );
    });

    test('runs with the arguments that a human edited', async () => {
      place.approve = () => ({ allow: true, arguments: { file_path: pathOf('edited.txt'), content: 'mine' } });
      place.calls(['Write', { file_path: pathOf('edited.txt'), content: 'yours' }]);
      const { results } = await place.turn('write', { session: 'edited' });
      assert.equal(results[0]?.outcome, 'completed');
      assert.equal(readFileSync(pathOf('edited.txt'), 'utf8'), 'mine');
    });

    test('records reads in the working directory without approval; other reads need approval', async () => {
      writeFileSync(pathOf('note.txt'), 'the note');
      place.calls(['Read', { file_path: pathOf('note.txt') }], ['Read', { file_path: '/etc/hostname' }]);
      const { text, results } = await place.turn('read', { session: 'read' });
      assert.deepEqual(
        results.map(({ outcome }) => outcome).toSorted((a, b) => a.localeCompare(b)),
        ['completed', 'denied'],
      );
      assert.match(text, /the note/);
      const calls = await place.invoked('read');
      const outcomes = new Map(calls.map(({ tool, outcome }) => [tool, outcome]));
      assert.deepEqual(
        [outcomes.get('mcp__claude__Read'), outcomes.get('mcp__claude__Read_outside')],
        ['completed', 'denied'],
      );
    });

    test('asks for approval of a command, and records its failure with its output', async () => {
      approveAll();
      place.calls(['Bash', { command: 'echo to the journal; exit 3', description: 'fails' }]);
      const { results } = await place.turn('run', { session: 'bash' });
      assert.equal(results[0]?.outcome, 'failed');
      assert.match(approved[0] ?? '', /^Bash .*to the journal/);
      const [call] = await place.invoked('bash');
      assert.deepEqual([call?.tool, call?.outcome], ['mcp__claude__Bash', 'failed']);
      assert.match(call?.output ?? '', /to the journal/);
    });

    test('applies the permission modes acceptEdits, plan, dontAsk and bypassPermissions', async () => {
      const write = ['Write', { file_path: pathOf('mode.txt'), content: 'x' }] as const;
      const bash = ['Bash', { command: 'true', description: 'nothing' }] as const;
      const outcomes = async (permissionMode: 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions') => {
        place.calls(write, bash);
        const { results, events } = await place.turn('go', { permissionMode });
        const ends = events.flatMap((event) => (event.type === 'tool_call_start' ? [event.toolCallId] : []));
        return ends.map((id) => results.find(({ toolCallId }) => toolCallId === id)?.outcome);
      };
      assert.deepEqual(await outcomes('acceptEdits'), ['completed', 'denied']);
      assert.deepEqual(await outcomes('plan'), ['denied', 'denied']);
      assert.deepEqual(await outcomes('dontAsk'), ['denied', 'denied']);
      assert.deepEqual(await outcomes('bypassPermissions'), ['completed', 'completed']);
    });

    test('ends a running command when the turn is interrupted', async () => {
      approveAll();
      const interrupt = new AbortController();
      const file = pathOf('pid.txt');
      place.calls(['Bash', { command: `echo $$ > ${file}; exec tail -f /dev/null`, description: 'waits' }]);
      const turn = place.turn('wait', { session: 'interrupted', signal: interrupt.signal });
      while (!existsSync(file) || readFileSync(file, 'utf8') === '')
        await new Promise((resolve) => setTimeout(resolve, 20));
      interrupt.abort();
      const { results, reason } = await turn;
      assert.deepEqual([results.map(({ outcome }) => outcome), reason], [['cancelled'], 'interrupted']);
      const [call] = await place.invoked('interrupted');
      assert.equal(call?.outcome, 'cancelled');
      assert.throws(() => process.kill(Number(readFileSync(file, 'utf8')), 0), { code: 'ESRCH' });
    });

    test('reports an unanswered question to the model', async () => {
      const options = [
        { label: 'Left', description: 'Past the mill.' },
        { label: 'Right', description: 'Past the church.' },
      ];
      place.calls([
        'AskUserQuestion',
        { questions: [{ question: 'Where?', header: 'W', options, multiSelect: false }] },
      ]);
      const { text, results } = await place.turn('ask', { ask: () => undefined });
      assert.equal(results[0]?.outcome, 'failed');
      assert.match(text, /nobody answered/);
    });

    test('times out a slow tool and continues the turn', async () => {
      place.calls(['mcp__local__slow', {}]);
      const { results, reason } = await place.turn('slow');
      assert.deepEqual([results[0]?.outcome, reason], ['timed-out', 'end']);
    });

    test('decides the calls of a subagent', async () => {
      place.script = ({ userMessages, results }) => {
        const last = userMessages.at(-1) ?? '';
        if (results.length > 0) return [{ type: 'text', text: `result: ${results[0]?.text}` }];
        if (last.includes('as the agent'))
          return [{ type: 'tool_use', name: 'Write', input: { file_path: pathOf('sub.txt'), content: 'x' } }];
        const input = { description: 'write', prompt: 'write as the agent', subagent_type: 'general-purpose' };
        return [{ type: 'tool_use', name: 'Agent', input }];
      };
      place.approve = ({ tool }) =>
        tool.id.tool === 'Write' ? { allow: false, reason: 'not by a subagent' } : { allow: true };
      await place.turn('delegate', { session: 'subagent' });
      const calls = await place.invoked('subagent');
      assert.equal(calls.find(({ tool }) => tool === 'mcp__claude__Write')?.outcome, 'denied');
      assert.ok(!existsSync(pathOf('sub.txt')));
    });

    test('shows the model every tool of the box, and the instructions of the turn', async () => {
      place.script = () => [{ type: 'text', text: 'seen' }];
      await place.turn('look', { instructions: 'The application is called Lighthouse.', model: 'some-model' });
      const request = place.api.requests.at(-1);
      const tools = new Set(request?.tools?.map((tool) => tool.name));
      assert.deepEqual(
        place.box.tools().filter((tool) => !tools.has(tool.name)),
        [],
      );
      assert.match(JSON.stringify(request), /The application is called Lighthouse\./);
      assert.match(JSON.stringify(request), /"model":"some-model/);
    });

    test('hides the secrets of Signalbox from commands', async () => {
      approveAll();
      process.env['SIGNALBOX_TOKEN'] = 'canary-token-4711';
      try {
        place.calls(['Bash', { command: 'env', description: 'shows variables' }]);
        const { text } = await place.turn('env');
        assert.match(text, /PATH=/);
        assert.doesNotMatch(text, /canary-token/);
      } finally {
        delete process.env['SIGNALBOX_TOKEN'];
      }
    });

    test('fails for an unknown conversation instead of starting a new one', async () => {
      place.script = () => [{ type: 'text', text: 'a new conversation' }];
      const { reason, errors, text } = await place.turn('go on', { memory: '00000000-0000-4000-8000-000000000000' });
      assert.deepEqual([reason, text], ['error', '']);
      assert.match(errors[0]?.message ?? '', /No conversation found/i);
    });
  });
}
