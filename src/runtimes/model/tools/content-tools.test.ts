import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ModelBlock } from '../../../../test/support/model/model-script.ts';
import { scriptedModel } from '../../../../test/support/model/scripted-model.ts';
import { type TurnResult, runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../../test/support/runtime/suite-box.ts';
import { modelRuntime } from '../model-runtime.ts';

describe('resources and prompts in a model session', () => {
  let box: SuiteBox;
  let offered: readonly string[] = [];
  before(async () => {
    box = await openSuiteBox();
  });
  after(() => box.close());

  /** Runs a turn in which the model makes these calls and then repeats their results. */
  function turn(session: string, ...calls: readonly (readonly [string, object])[]): Promise<TurnResult> {
    const model = scriptedModel(({ results, tools }) => {
      offered = tools;
      const blocks = calls.map(([name, input]): ModelBlock => ({ type: 'tool_use', name, input }));
      return results.length < calls.length
        ? blocks
        : [{ type: 'text', text: results.map(({ text }) => text).join(' | ') }];
    });
    const runtime = modelRuntime({ chooseModel: (name) => ({ name, provider: name, model, acceptsImages: false }) });
    return runTurn(runtime, box, 'go', { session });
  }

  test('are listed and read by the model; its tools and the reads at the server are recorded as calls', async () => {
    const { text, results } = await turn(
      'reads',
      ['list_resources', {}],
      ['read_resource', { server: 'fixture', uri: 'note://two' }],
      ['list_prompts', {}],
      ['get_prompt', { server: 'fixture', name: 'greet', arguments: { who: 'Ada' } }],
    );
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['completed', 'completed', 'completed', 'completed'],
    );
    assert.match(text, /"uri":"note:\/\/one".*the text of note:\/\/two.*"name":"greet".*Greet Ada\./s);
    const { items } = await box.box.journal.query({ type: 'ToolInvoked', session: 'reads' });
    assert.deepEqual(
      items
        .map((entry) => entry.type === 'ToolInvoked' && `${entry.tool} by ${entry.principal.id}`)
        .toSorted((a, b) => String(a).localeCompare(String(b))),
      [
        'mcp__fixture__prompts/get by suite',
        'mcp__fixture__resources/read by suite',
        'mcp__runtime__get_prompt by suite',
        'mcp__runtime__list_prompts by suite',
        'mcp__runtime__list_resources by suite',
        'mcp__runtime__read_resource by suite',
      ],
    );
  });

  test('count as one call for rate limits, also when read from the journal', async () => {
    const limits = [{ id: 'two', rateLimit: { match: '*', per: '1h', max: 2, by: 'session' } }];
    const read = ['read_resource', { server: 'fixture', uri: 'note://two' }] as const;
    const outcomes = async (...calls: readonly (typeof read)[]): Promise<readonly string[]> =>
      (await turn('counted', ...calls)).results.map(({ outcome }) => outcome);
    await box.box.policies.set(limits);
    try {
      assert.deepEqual(await outcomes(read), ['completed']);
      // New rules have their own session facts, which are read from the journal.
      await box.box.policies.set([...limits, { id: 'other', match: 'mcp__x__y', deny: true }]);
      assert.deepEqual(await outcomes(read), ['completed']);
      assert.deepEqual(await outcomes(read), ['denied']);
    } finally {
      await box.box.policies.set([]);
    }
  });

  test('report failed reads and invalid arguments to the model', async () => {
    const { text, results } = await turn(
      'fails',
      ['read_resource', { server: 'fixture', uri: 'note://none' }],
      ['read_resource', { server: 'fixture' }],
    );
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['failed', 'failed'],
    );
    assert.match(text, /there is no note:\/\/none.*uri/s);
  });

  test('are offered as tools only while a server has content', async () => {
    await turn('offered');
    const readers = (): string[] => offered.filter((name) => /^(list|read|get)_(resource|prompt)/.test(name));
    assert.deepEqual(readers(), ['list_resources', 'read_resource', 'list_prompts', 'get_prompt']);
    box.box.servers.disable('fixture');
    await turn('not offered');
    box.box.servers.enable('fixture');
    assert.deepEqual(readers(), []);
  });
});
