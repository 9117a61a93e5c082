import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderName } from '../../src/core/tools/tool-names.ts';
import { compareObservations, differencesBetween } from './compare.ts';
import { minimalValue } from './minimal-arguments.ts';
import { type Observation, planFrom } from './observe.ts';

const direct: Observation = {
  initialize: { capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' }, instructions: 'Be kind.' },
  tools: [{ name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  prompts: [{ name: 'greet' }],
  resources: [{ uri: 'note://one', name: 'one' }],
  resourceTemplates: [],
  calls: [{ result: { content: [], structuredContent: { at: '12:00', count: 1 } } }],
  reads: [],
  gets: [],
};
const behind: Observation = {
  ...direct,
  initialize: {
    capabilities: { tools: { listChanged: true }, prompts: {} },
    serverInfo: { name: 'signalbox', version: '0' },
    instructions: 'Signalbox.\n\nInstructions of the server notes for its own tools:\nBe kind.',
  },
  tools: [
    { name: 'mcp__signalbox__ping', inputSchema: { type: 'object' } },
    { name: 'mcp__notes__read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  ],
  prompts: [{ name: 'mcp__notes__greet' }],
};
const pathsOf = (changed: Partial<Observation>, masks: Parameters<typeof compareObservations>[3] = []): string[] =>
  compareObservations('notes', direct, { ...behind, ...changed }, masks).map(({ path }) => path);

describe('compareObservations', () => {
  test('ignores documented renames and the initialize result of Signalbox', () => {
    assert.deepEqual(pathsOf({}), []);
  });

  test('reports a missing tool, a changed schema, a dropped field and a lost instruction', () => {
    assert.deepEqual(pathsOf({ tools: [] }), ['tools.read', 'order.tools']);
    const [, tool] = behind.tools;
    assert.deepEqual(pathsOf({ tools: [{ ...tool, inputSchema: { type: 'object', properties: {} } }] }), [
      'tools.read.inputSchema.properties',
    ]);
    assert.deepEqual(pathsOf({ calls: [{ result: { content: [] } }] }), ['calls[0].result.structuredContent']);
    assert.deepEqual(pathsOf({ initialize: { ...behind.initialize, instructions: 'Signalbox.' } }), [
      'initialize.instructions',
    ]);
    assert.deepEqual(pathsOf({ initialize: { ...behind.initialize, capabilities: {} } }), [
      'initialize.capabilities.tools',
    ]);
  });

  test('ignores a value that changes from run to run only if a mask names it', () => {
    const calls = [{ result: { content: [], structuredContent: { at: '12:01', count: 2 } } }];
    assert.deepEqual(pathsOf({ calls }), [
      'calls[0].result.structuredContent.at',
      'calls[0].result.structuredContent.count',
    ]);
    const masks = [
      { pattern: '\\d\\d:\\d\\d', reason: 'the time' },
      { path: '^calls\\[0\\].*\\.count$', reason: 'a counter' },
    ];
    assert.deepEqual(pathsOf({ calls }, masks), []);
  });

  test('accepts a shortened name only with the hash of its own tool', () => {
    const tool = 'a_very_long_name_that_does_not_fit_into_what_model_providers_accept';
    const shortened = renderName({ server: 'notes', tool }).name;
    const compared = (name: string): readonly unknown[] =>
      compareObservations('notes', { ...direct, tools: [{ name: tool }] }, { ...behind, tools: [{ name }] });
    assert.ok(shortened.length < tool.length);
    assert.deepEqual(compared(shortened), []);
    assert.notDeepEqual(compared(shortened.replace(/.$/, 'x')), []);
  });
});

test('differencesBetween shows different values from their first difference', () => {
  const [found] = differencesBetween({ text: `${'x'.repeat(500)}a` }, { text: `${'x'.repeat(500)}b` });
  assert.equal(found?.path, 'text');
  assert.match(found.direct, /^…x{30}a"$/);
});

describe('minimalValue', () => {
  test('creates the required properties, with defaults and first choices', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string' },
        mode: { enum: ['fast', 'slow'] },
        depth: { type: 'integer', minimum: 3 },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        place: { $ref: '#/$defs/place' },
        left: { type: 'string' },
      },
      required: ['path', 'mode', 'depth', 'tags', 'place'],
      $defs: {
        place: { anyOf: [{ type: 'null' }, { type: 'object', properties: { x: { default: 7 } }, required: ['x'] }] },
      },
    };
    assert.deepEqual(minimalValue(schema), { path: 'field', mode: 'fast', depth: 3, tags: ['field'], place: { x: 7 } });
  });
});

describe('planFrom', () => {
  test('derives calls only for tools that read', () => {
    const tools = [
      { name: 'delete_all', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } },
      { name: 'get_one', inputSchema: { type: 'object' } },
      { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    ];
    const { calls } = planFrom({ tools, prompts: [], resources: [], resourceTemplates: [] });
    assert.deepEqual(
      calls.map(({ tool }) => tool),
      ['get_one', 'look'],
    );
  });
});
