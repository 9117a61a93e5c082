import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import fc from 'fast-check';
import { type ToldTurn, runTurn } from '../../../../test/support/runtime/run-turn.ts';
import type { Approve } from '../../../core/calls/approval.ts';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import { demoServer, prepareDemo } from '../../../sources/local/demo/demo-server.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import { modelRuntime } from '../model-runtime.ts';
import { demoStep } from './demo-step.ts';
import type { TurnEvent } from '../../runtime.ts';

interface Demo {
  readonly box: Signalbox;
  readonly directory: string;
  say(content: string, memory?: ToldTurn['memory']): Promise<ToldTurn>;
}

/** The demo model with a box of the demo workspace, as new users start it. */
async function demo(t: TestContext, approve: Approve): Promise<Demo> {
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
    say: (content, memory) =>
      runTurn(runtime, suite, content, {
        ask: () => ({ colour: 'Green' }),
        ...(memory === undefined ? {} : { memory }),
      }),
  };
}

const yes: Approve = () => ({ allow: true });
const outcomes = ({ results }: ToldTurn): readonly string[] => results.map(({ outcome }) => outcome);

describe('the demo model', () => {
  test('pings the server, without a key', async (t) => {
    const { say } = await demo(t, yes);
    const turn = await say('ping the server');
    assert.deepEqual(
      turn.events.filter(({ type }) => type.startsWith('tool_') && type !== 'tool_call_delta').map(({ type }) => type),
      ['tool_call_start', 'tool_call_end', 'tool_result'],
    );
    assert.match(turn.text, /mcp__signalbox__ping answered: .*pong/);
    assert.ok(turn.events.filter(({ type }) => type === 'text_delta').length > 3, 'it streams');
  });

  test('says what tools it has', async (t) => {
    const { say } = await demo(t, yes);
    const { text } = await say('What tools do you have?');
    for (const name of ['mcp__signalbox__ping', 'mcp__demo__write_note', 'ask_user'])
      assert.ok(text.includes(`- ${name}: `));
  });

  test('calls a tool with JSON, by its whole name or its own, and several at once', async (t) => {
    const { say } = await demo(t, yes);
    const one = await say('call mcp__signalbox__get_server_info {"include_uptime": true}');
    assert.match(one.text, /uptime_seconds/);
    const two = await say('call get_server_info\ncall read_note {"name": "welcome"}');
    assert.deepEqual(outcomes(two), ['completed', 'completed']);
    assert.match(two.text, /Welcome to Signalbox/);
  });

  test('says what is wrong with a call that cannot be made', async (t) => {
    const { say } = await demo(t, yes);
    assert.match((await say('call read_notes {}')).text, /did you mean "mcp__demo__read_note"/);
    assert.match((await say('call ping {"a":')).text, /is not a JSON object/);
    assert.match((await say('call read_note {"name": "../../etc/passwd"}')).text, /did not run through/);
  });

  test('asks its user', async (t) => {
    const { say } = await demo(t, yes);
    assert.match((await say('ask me something')).text, /Green/);
  });

  test('says what it can do when it does not understand', async (t) => {
    const { say } = await demo(t, yes);
    const { text } = await say('write me a poem');
    assert.match(text, /ping the server[\s\S]*run the tour/);
  });

  test('leads through a read, a write that can be undone, and a call that always asks', async (t) => {
    const asked: string[] = [];
    const { box, say, directory } = await demo(t, ({ tool }) => {
      asked.push(tool.name);
      return { allow: true };
    });
    const turn = await say('run the tour');
    assert.deepEqual(outcomes(turn), ['completed', 'completed', 'completed']);
    assert.ok(asked.includes('mcp__demo__send_note') && !asked.includes('mcp__demo__read_note'));
    assert.match(readFileSync(join(directory, 'outbox.log'), 'utf8'), /The demo model was here/);
    assert.match(turn.text, /the one that cannot be taken back: ran/);
    assert.deepEqual(
      turn.results[1]?.changes?.map(({ path, kind }) => [path, kind]),
      [['tour.txt', 'added']],
    );
    const { items } = await box.journal.calls();
    const written = items.find((item) => item.type === 'ToolInvoked' && item.tool === 'mcp__demo__write_note');
    await box.undo.call(written?.callId ?? '');
    assert.ok(!existsSync(join(directory, 'tour.txt')), 'the write was undone');
    const again = await say('ping', turn.memory);
    assert.match(again.text, /pong/);
  });

  test('goes on with the tour when a call is refused', async (t) => {
    const { say } = await demo(t, ({ tool }) => ({ allow: tool.effect === 'undoable' }));
    const turn = await say('run the tour');
    assert.deepEqual(outcomes(turn), ['completed', 'completed', 'denied']);
    assert.match(turn.text, /the one that cannot be taken back: refused/);
  });

  test('answers anything at all, in pieces that make up the whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.constantFrom('call', 'call \n call {}', 'ping')), async (said) => {
        const events: TurnEvent[] = [];
        const request = {
          chosen: { name: 'demo', provider: 'demo', model: 'demo' as const, acceptsImages: false },
          instructions: '',
          messages: [{ role: 'user' as const, content: said }],
          tools: [],
          signal: new AbortController().signal,
          answerTokens: undefined,
          emit: (event: TurnEvent) => void events.push(event),
          identify: (tool: string) => ({ server: '', tool }),
        };
        const step = await demoStep(request, 0);
        const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
        assert.ok(text !== '');
        const content = step.message?.content;
        assert.deepEqual(typeof content === 'string' ? content : content?.[0], { type: 'text', text });
      }),
      { seed: 4711, numRuns: 60 },
    );
  });
});
