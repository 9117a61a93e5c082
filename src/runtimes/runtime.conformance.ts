import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { ModelBlock, ModelScript } from '../../test/support/model/model-script.ts';
import { type TurnResult, type TurnOptions, runTurn, testTurn } from '../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../test/support/runtime/suite-box.ts';
import type { Runtime } from './runtime.ts';

/** A runtime with a scripted model. */
export interface ScriptedRuntime {
  readonly runtime: Runtime;
  /** The model that turns specify, if the runtime requires one. */
  readonly model?: string;
  close(): Promise<void>;
}

/** The differences between runtimes. */
export interface RuntimeTraits {
  /** The tool by which the model asks the user, if it has one. */
  readonly question?: string;
  /** Whether the runtime reports thinking. */
  readonly thinks: boolean;
  /** The point at which the model sees a changed catalog. */
  readonly seesChanges: 'step' | 'turn';
}

/** Starts a runtime with a scripted model. */
export type StartScripted = (script: ModelScript) => Promise<ScriptedRuntime>;

const textBlock = (text: string): ModelBlock => ({ type: 'text', text });
const toolUse = (name: string, input: object = {}): ModelBlock => ({ type: 'tool_use', name, input });

/** Conformance tests of every runtime, with a scripted model, a real box and a real MCP server. */
export function runtimeConformance(name: string, traits: RuntimeTraits, start: StartScripted): void {
  describe(`runtime ${name}`, () => {
    let box: SuiteBox;
    let scripted: ScriptedRuntime;
    let script: ModelScript;
    before(async () => {
      box = await openSuiteBox();
      scripted = await start((input) => script(input));
    });
    after(async () => {
      await scripted.runtime.close();
      await scripted.close();
      await box.close();
    });
    beforeEach(() => {
      box.approve = () => ({ allow: false, reason: 'no approval was expected' });
      box.onHang = () => undefined;
    });
    afterEach(() => {
      script = () => [textBlock('not in the script')];
    });

    const turn = (content: string, story: TurnOptions = {}): Promise<TurnResult> =>
      runTurn(scripted.runtime, box, content, withModel(story));
    const withModel = (story: TurnOptions): TurnOptions =>
      scripted.model === undefined ? story : { model: scripted.model, ...story };
    /** Makes the calls, and then returns their results as text. */
    const callThenReport = (...calls: readonly ModelBlock[]): void => {
      script = ({ results }) =>
        results.length === 0 ? calls : [textBlock(`results: ${results.map(({ text }) => text).join(' | ')}`)];
    };

    test('streams text in pieces and ends', async () => {
      script = () => [textBlock('Hello from the model, word by word by word.')];
      const { events, text, reason, errors } = await turn('hello');
      assert.equal(text, 'Hello from the model, word by word by word.');
      assert.ok(events.filter(({ type }) => type === 'text_delta').length > 1, 'the text was not streamed');
      assert.deepEqual([reason, errors], ['end', []]);
    });

    test('reports thinking apart from text', { skip: !traits.thinks && 'its model reports no thinking' }, async () => {
      script = () => [{ type: 'thinking', text: 'Let me see.' }, textBlock('Seen.')];
      const { events, text } = await turn('think');
      const thought = events.map((event) => (event.type === 'thinking_delta' ? event.text : '')).join('');
      assert.deepEqual([thought, text], ['Let me see.', 'Seen.']);
    });

    test('reports the model and its context tokens', async () => {
      script = () => [textBlock('counted')];
      const { events } = await turn('count');
      const status = events.findLast(({ type }) => type === 'status');
      assert.ok(status?.type === 'status' && (status.contextTokens ?? 0) > 0 && status.model !== undefined);
    });

    test('runs a call through the pipeline, reports each step, and returns the result to the model', async () => {
      callThenReport(textBlock('Adding. '), toolUse('mcp__suite__add', { a: 2, b: 3 }));
      const { events, text, results, reason } = await turn('add', { session: 'one-call' });
      const started = events.find((event) => event.type === 'tool_call_start');
      assert.deepEqual([started?.toolName, started?.server, started?.tool], ['mcp__suite__add', 'suite', 'add']);
      assert.deepEqual(events.find((event) => event.type === 'tool_call_end')?.input, { a: 2, b: 3 });
      assert.equal(results[0]?.outcome, 'completed');
      assert.deepEqual(results[0].content, [{ type: 'text', text: 'the sum is 5' }]);
      assert.equal(text, 'Adding. results: the sum is 5');
      assert.equal(reason, 'end');
      const { items } = await box.box.journal.calls({ session: 'one-call' });
      const call = items.find((item) => item.type === 'ToolInvoked');
      assert.deepEqual([call?.tool, call?.outcome, call?.principal.id], ['mcp__suite__add', 'completed', 'suite']);
      assert.equal(items.length, 1, 'one call has one entry');
    });

    test('runs a tool of an external server', async () => {
      callThenReport(toolUse('mcp__fixture__echo', { text: 'from afar' }));
      const { text, results } = await turn('echo');
      assert.equal(results[0]?.outcome, 'completed');
      assert.equal(text, 'results: from afar');
    });

    test('runs the calls of one step in parallel, each with its own result', async () => {
      const place = `place of ${name}`;
      callThenReport(
        toolUse('mcp__suite__meet', { name: 'Ann', place }),
        toolUse('mcp__suite__meet', { name: 'Bob', place }),
      );
      const { text, results } = await turn('meet');
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['completed', 'completed'],
      );
      assert.equal(text, 'results: Ann met | Bob met');
    });

    test('does not run a denied call, and gives the model the reason', async () => {
      box.approve = () => ({ allow: false, reason: 'not allowed today' });
      callThenReport(toolUse('mcp__suite__note', { text: 'denied' }));
      const { text, results, reason } = await turn('note it', { session: 'denied' });
      assert.equal(results[0]?.outcome, 'denied');
      assert.match(text, /not allowed today/);
      assert.ok(!box.notes.includes('denied'));
      assert.equal(reason, 'end');
    });

    test('runs an approved call once', async () => {
      box.approve = () => ({ allow: true });
      const note = `approved for ${name}`;
      callThenReport(toolUse('mcp__suite__note', { text: note }));
      const { text, results } = await turn('note it', { session: 'approved' });
      assert.equal(results[0]?.outcome, 'completed');
      assert.match(text, /noted approved/);
      assert.deepEqual(
        box.notes.filter((one) => one === note),
        [note],
      );
    });

    test('runs a call with the arguments that the approval edited, and reports the edit to the model', async () => {
      const [original, edited] = [`first text of ${name}`, `second text of ${name}`];
      box.approve = () => ({ allow: true, arguments: { text: edited } });
      callThenReport(toolUse('mcp__suite__note', { text: original }));
      const { text, results } = await turn('note it', { session: 'edited' });
      assert.equal(results[0]?.outcome, 'completed');
      assert.ok(box.notes.includes(edited) && !box.notes.includes(original));
      assert.ok(text.includes(`noted ${edited}`));
      assert.match(text, /edited|changed|other arguments/i);
    });

    for (const [permissionMode, outcome] of [
      ['acceptEdits', 'completed'],
      ['plan', 'denied'],
      ['dontAsk', 'denied'],
      ['bypassPermissions', 'completed'],
    ] as const) {
      test(`in mode ${permissionMode}, an undoable write is ${outcome} without a question`, async () => {
        callThenReport(toolUse('mcp__suite__note', { text: permissionMode }));
        const { results, reason } = await turn('note it', { session: permissionMode, permissionMode });
        assert.deepEqual([results[0]?.outcome, reason], [outcome, 'end']);
        assert.ok(!JSON.stringify(results).includes('no approval was expected'), 'an approval was requested');
      });
    }

    test(
      'passes a question of the model to the user, and the answer to the model',
      { skip: traits.question === undefined && 'its model cannot ask' },
      async () => {
        const questions = [
          {
            question: 'Which direction?',
            header: 'Direction',
            options: [
              { label: 'Left', description: 'Past the mill.' },
              { label: 'Right', description: 'Past the church.' },
            ],
            multiSelect: false,
          },
        ];
        callThenReport(toolUse(traits.question ?? '', { questions }));
        let asked: unknown;
        const { text, results } = await turn('ask me', {
          ask: (given) => {
            asked = given[0]?.question;
            return { 'Which direction?': 'Left' };
          },
        });
        assert.equal(asked, 'Which direction?');
        assert.equal(results[0]?.outcome, 'completed');
        assert.match(text, /Left/);
      },
    );

    test('reports a failed tool to the model and continues the turn', async () => {
      callThenReport(toolUse('mcp__suite__boom'));
      const { text, results, reason, errors } = await turn('heat');
      assert.equal(results[0]?.outcome, 'failed');
      assert.match(text, /the boiler is cold/);
      assert.deepEqual([reason, errors], ['end', []]);
    });

    test('reports invalid arguments to the model, and runs nothing', async () => {
      box.approve = () => ({ allow: true });
      callThenReport(toolUse('mcp__suite__note', { text: 7 }));
      const notes = box.notes.length;
      const { results, text } = await turn('note it');
      assert.equal(results[0]?.outcome, 'failed');
      assert.match(text, /text/);
      assert.equal(box.notes.length, notes);
    });

    test('reports progress of a tool; an interrupt ends the call and the turn', async () => {
      const interrupt = new AbortController();
      callThenReport(toolUse('mcp__suite__hang'));
      const { events, results, reason, memory } = await turn('hang', {
        signal: interrupt.signal,
        onEvent: (event) => event.type === 'tool_progress' && interrupt.abort(),
      });
      const progress = events.find((event) => event.type === 'tool_progress');
      assert.equal(progress?.progress.message, 'half way');
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['cancelled'],
      );
      assert.equal(reason, 'interrupted');
      script = ({ userMessages }) => [textBlock(`continued after ${userMessages.length}`)];
      const next = await turn('go on', memory === undefined ? {} : { memory });
      assert.deepEqual([next.reason, next.text], ['end', 'continued after 2']);
    });

    test('an interrupt during text ends the turn, and the next turn continues from there', async () => {
      const interrupt = new AbortController();
      script = () => [textBlock('This text is very long'), { type: 'wait' }];
      const { text, reason, memory } = await turn('talk', {
        signal: interrupt.signal,
        onEvent: (event) => event.type === 'text_delta' && interrupt.abort(),
      });
      assert.match(text, /^This text/);
      assert.equal(reason, 'interrupted');
      script = ({ userMessages }) => [textBlock(`continued after ${userMessages.length}`)];
      const next = await turn('go on', memory === undefined ? {} : { memory });
      assert.deepEqual([next.reason, next.text], ['end', 'continued after 2']);
    });

    test('ends a turn that is no longer read, with its calls', async () => {
      callThenReport(toolUse('mcp__suite__hang'));
      const hanging = new Promise<void>((resolve) => (box.onHang = resolve));
      const session = `abandoned ${name}`;
      for await (const { type } of scripted.runtime.turn(testTurn(box, 'hang', withModel({ session })))) {
        if (type === 'tool_call_end') await hanging;
        if (type === 'tool_call_end') break;
      }
      for (let tries = 0; ; tries += 1) {
        const { items } = await box.box.journal.calls({ session });
        if (items.some((item) => item.type === 'ToolInvoked' && item.outcome === 'cancelled')) break;
        assert.ok(tries < 500, 'its call was not cancelled');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });

    test('the next turn has the conversation and the tools', async () => {
      script = () => [textBlock('I will remember.')];
      const first = await turn('my number is 4711', { session: 'resumed' });
      script = ({ userMessages, results }) =>
        results.length > 0
          ? [textBlock(`${userMessages.some((one) => one.includes('4711'))} ${results[0]?.text}`)]
          : [toolUse('mcp__suite__add', { a: 1, b: 1 })];
      const second = await turn('what is my number', { session: 'resumed', memory: first.memory ?? null });
      assert.equal(second.text, 'true the sum is 2');
    });

    test('a fork continues from the memory without changing it', async () => {
      script = () => [textBlock('noted')];
      const { memory = null } = await turn('the root is oak', { session: 'forked' });
      const unchanged = JSON.stringify(memory);
      await turn('the branch is elm', { session: 'fork-1', memory, fork: true });
      script = ({ userMessages }) => [
        textBlock(userMessages.map((one) => /oak|elm|ash/.exec(one)?.[0] ?? '').join(' ')),
      ];
      const other = await turn('the branch is ash', { session: 'fork-2', memory, fork: true });
      assert.equal(other.text, 'oak ash');
      const original = await turn('the twig is ash', { session: 'forked', memory });
      assert.equal(original.text, 'oak ash');
      assert.equal(JSON.stringify(memory), unchanged);
    });

    test('eight concurrent sessions see all tools and only their own results', async () => {
      const all = box.box.tools().map((tool) => tool.name);
      script = ({ userMessages, results, tools }) => {
        const number = Number(/\d+/.exec(userMessages.at(-1) ?? '')?.[0]);
        if (results.length === 0) return [toolUse('mcp__suite__add', { a: number, b: 1000 })];
        return [textBlock(`${all.every((tool) => tools.includes(tool))} ${results.map(({ text }) => text).join()}`)];
      };
      const turns = await Promise.all(
        Array.from({ length: 8 }, (_, index) => turn(`number ${index}`, { session: `session-${index}` })),
      );
      assert.deepEqual(
        turns.map(({ text }) => text),
        Array.from({ length: 8 }, (_, index) => `true the sum is ${1000 + index}`),
      );
    });

    test('shows a changed catalog to the model', async () => {
      const grown = `grown_${name.replaceAll(/[^a-z]/g, '_')}`;
      const tool = `mcp__suite__${grown}`;
      script = ({ results, tools }) => {
        if (results.length === 0)
          return [tools.includes(tool) ? toolUse(tool) : toolUse('mcp__suite__grow', { name: grown })];
        if (results.length === 1 && traits.seesChanges === 'step' && !results[0]?.text.includes('fresh'))
          return tools.includes(tool) ? [toolUse(tool)] : [textBlock('not seen')];
        return [textBlock(`results: ${results.map(({ text }) => text).join(' | ')}`)];
      };
      const first = await turn('grow');
      const second = traits.seesChanges === 'step' ? first : await turn('use it');
      assert.match(second.text, /fresh/);
    });

    test('reports a server that went down to the model and continues the turn', async () => {
      script = ({ results }) =>
        results.length < 2 ? [toolUse('mcp__shaky__fall')] : [textBlock(`results: ${results.at(-1)?.text}`)];
      const { text, results, reason } = await turn('fall');
      if (results.length === 2) assert.notEqual(results[1]?.outcome, 'completed');
      assert.match(text, /down|no such tool/i);
      assert.equal(reason, 'end');
      script = ({ tools }) => [textBlock(String(tools.includes('mcp__shaky__fall')))];
      assert.equal((await turn('look')).text, 'false', 'its tools are no longer offered');
    });

    test('reports an error of the API and ends the turn', async () => {
      script = () => ({ status: 400, message: 'the prompt is odd' });
      const { errors, reason } = await turn('odd');
      assert.match(errors[0]?.message ?? '', /the prompt is odd/);
      assert.equal(reason, 'error');
    });
  });
}
