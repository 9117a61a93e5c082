import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import fc from 'fast-check';
import { type TurnResult, runTurn } from '../../../test/support/runtime/run-turn.ts';
import type { Approve } from '../../core/calls/approval.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import { openSignalbox } from '../../signalbox/create-signalbox.ts';
import { demoServer, prepareDemo } from '../../sources/local/demo-server.ts';
import { runtimeTools } from '../runtime-tools.ts';
import { modelRuntime } from './model-runtime.ts';
import { demoStep } from './demo-model.ts';
import type { TurnEvent } from '../runtime.ts';

interface Demo {
  readonly box: Signalbox;
  readonly directory: string;
  send(content: string, memory?: TurnResult['memory']): Promise<TurnResult>;
}

/** Opens the demo workspace with the demo model, as new users start it. */
async function openDemo(t: TestContext, approve: Approve): Promise<Demo> {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-demo-'));
  const directory = join(root, 'notes');
  await prepareDemo(directory);
  const own = runtimeTools('runtime');
  const box = await openSignalbox({ servers: [demoServer(directory), own], approve, data: join(root, 'data') });
  t.after(async () => {
    await box.close();
    rmSync(root, { recursive: true });
  });
  const suite = { box, own, notes: [], approve, onHang: () => undefined, close: () => box.close() };
  const runtime = modelRuntime();
  return {
    box,
    directory,
    send: (content, memory) =>
      runTurn(runtime, suite, content, {
        ask: () => ({ colour: 'Green' }),
        ...(memory === undefined ? {} : { memory }),
      }),
  };
}

const approveAll: Approve = () => ({ allow: true });
const outcomes = ({ results }: TurnResult): readonly string[] => results.map(({ outcome }) => outcome);

describe('the demo model', () => {
  test('pings the server without a key', async (t) => {
    const { send } = await openDemo(t, approveAll);
    const turn = await send('ping the server');
    assert.deepEqual(
      turn.events.filter(({ type }) => type.startsWith('tool_') && type !== 'tool_call_delta').map(({ type }) => type),
      ['tool_call_start', 'tool_call_end', 'tool_result'],
    );
    assert.match(turn.text, /mcp__signalbox__ping answered: .*pong/);
    assert.ok(turn.events.filter(({ type }) => type === 'text_delta').length > 3, 'the text is streamed');
  });

  test('lists its tools', async (t) => {
    const { send } = await openDemo(t, approveAll);
    const { text } = await send('What tools do you have?');
    for (const name of ['mcp__signalbox__ping', 'mcp__demo__write_note', 'ask_user'])
      assert.ok(text.includes(`- ${name}: `));
  });

  test('calls tools with JSON arguments, by full or short name, and several at once', async (t) => {
    const { send } = await openDemo(t, approveAll);
    const one = await send('call mcp__signalbox__get_server_info {"include_uptime": true}');
    assert.match(one.text, /uptime_seconds/);
    const two = await send('call get_server_info\ncall read_note {"name": "welcome"}');
    assert.deepEqual(outcomes(two), ['completed', 'completed']);
    assert.match(two.text, /Welcome to Signalbox/);
  });

  test('explains why a call cannot be made', async (t) => {
    const { send } = await openDemo(t, approveAll);
    assert.match((await send('call read_notes {}')).text, /did you mean "mcp__demo__read_note"/);
    assert.match((await send('call ping {"a":')).text, /is not a JSON object/);
    assert.match((await send('call read_note {"name": "../../etc/passwd"}')).text, /read_note failed: /);
  });

  test('asks its user a question', async (t) => {
    const { send } = await openDemo(t, approveAll);
    assert.match((await send('ask me something')).text, /Green/);
  });

  test('lists its commands for an unknown message', async (t) => {
    const { send } = await openDemo(t, approveAll);
    const { text } = await send('write me a poem');
    assert.match(text, /ping the server[\s\S]*run the tour/);
  });

  test('gives a tour of a read, an undoable write, and a call that always asks', async (t) => {
    const approvals: string[] = [];
    const { box, send, directory } = await openDemo(t, ({ tool }) => {
      approvals.push(tool.name);
      return { allow: true };
    });
    const turn = await send('run the tour');
    assert.deepEqual(outcomes(turn), ['completed', 'completed', 'completed']);
    assert.ok(approvals.includes('mcp__demo__send_note') && !approvals.includes('mcp__demo__read_note'));
    assert.match(readFileSync(join(directory, 'outbox.log'), 'utf8'), /The demo model was here/);
    assert.match(turn.text, /the call that cannot be undone: ran/);
    assert.deepEqual(
      turn.results[1]?.changes?.map(({ path, kind }) => [path, kind]),
      [['tour.txt', 'added']],
    );
    const { items } = await box.journal.calls();
    const write = items.find((item) => item.type === 'ToolInvoked' && item.tool === 'mcp__demo__write_note');
    await box.undo.call(write?.callId ?? '');
    assert.ok(!existsSync(join(directory, 'tour.txt')), 'the write was undone');
    const again = await send('ping', turn.memory);
    assert.match(again.text, /pong/);
  });

  test('continues the tour when a call is refused', async (t) => {
    const { send } = await openDemo(t, ({ tool }) => ({ allow: tool.effect === 'undoable' }));
    const turn = await send('run the tour');
    assert.deepEqual(outcomes(turn), ['completed', 'completed', 'denied']);
    assert.match(turn.text, /the call that cannot be undone: refused/);
  });

  test('streams a non-empty answer to any message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.constantFrom('call', 'call \n call {}', 'ping')), async (content) => {
        const events: TurnEvent[] = [];
        const request = {
          chosen: { name: 'demo', provider: 'demo', model: 'demo' as const, acceptsImages: false },
          instructions: '',
          messages: [{ role: 'user' as const, content }],
          tools: [],
          signal: new AbortController().signal,
          answerTokens: undefined,
          emit: (event: TurnEvent) => void events.push(event),
          identify: (tool: string) => ({ server: '', tool }),
        };
        const step = await demoStep(request, 0);
        const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
        assert.ok(text !== '');
        const answer = step.message?.content;
        assert.deepEqual(typeof answer === 'string' ? answer : answer?.[0], { type: 'text', text });
      }),
      { seed: 4711, numRuns: 60 },
    );
  });
});
