import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { distractors } from '../../../../test/support/distractors.ts';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../../signalbox/signalbox-options.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { localServer } from '../local-server.ts';
import { parseForwardedCall, describeTool, searchTools } from './disclosure-tools.ts';

const tools = distractors(100);
const [first] = tools;
assert.ok(first !== undefined);

describe('search_tools', () => {
  test('tells the name, the first sentence and the arguments of what fits, the best one first', () => {
    const { description, inputSchema } = first;
    const found = searchTools(tools, { query: first.name, limit: 3 }).tools;
    assert.deepEqual(found[0], {
      name: first.name,
      description: `${description.split('.', 1)[0]}.`,
      arguments: Object.keys((inputSchema as { properties: object }).properties)
        .map((name) => `${name}?`)
        .join(', '),
    });
    assert.equal(found.length, 3);
    assert.deepEqual(searchTools(tools, { query: 'xyzzy', limit: 3 }), { tools: [] });
  });
});

describe('describe_tool', () => {
  test('tells what is needed to call a tool, and what is near where there is none', () => {
    const { name, description, inputSchema, effect } = first;
    assert.deepEqual(describeTool(tools, { name }), { name, description, inputSchema, effect });
    assert.throws(() => describeTool(tools, { name: `${name}x` }), new RegExp(`did you mean "${name}"`));
    assert.throws(() => describeTool([], { name }), /search_tools finds what there is/);
  });
});

describe('what is listed', () => {
  const many = (count: number): OwnTool[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool_${index}`,
      description: 'Does something. '.repeat(30),
      effect: 'read',
      run: () => null,
    }));

  test('is everything, unless a profile wants tools found: always, or where that saves tokens', async (t) => {
    const profiles = { always: { disclosure: 'always' }, auto: { disclosure: 'auto' }, never: {} } as const;
    const server = localServer({ name: 'many', tools: many(40) });
    const box = await createSignalbox({ servers: [server], profiles });
    t.after(() => box.close());
    const finders = ['search_tools', 'describe_tool', 'call_tool'];
    const listed = (profile?: string): string[] =>
      box.tools(profile === undefined ? {} : { profile }).map(({ id }) => id.tool);
    assert.deepEqual(listed('always'), finders);
    assert.deepEqual(
      [listed('auto').length, listed('never').length, listed().length, box.catalog({ profile: 'always' }).tools.length],
      [43, 43, 43, 43],
    );
    assert.ok(!listed().includes('call_tool'), 'they are no use beside what they would find');
    for (const tool of many(60).slice(40)) server.add(tool);
    assert.deepEqual([listed('auto'), listed('never').length], [finders, 63]);
    assert.equal(box.tools({ profile: 'auto' }), box.tools({ profile: 'auto' }), 'the same list while nothing changes');
  });
});

describe('call_tool', () => {
  test('says what is wrong with a call that names no tool', () => {
    assert.deepEqual(parseForwardedCall({ name: 'x' }), { name: 'x', arguments: {} });
    for (const wrong of [{}, { name: '' }, { name: 7 }, { name: 'x', arguments: [] }, { name: 'x', a: 1 }, null, 'x'])
      assert.equal(typeof parseForwardedCall(wrong), 'string');
  });

  const note = defineTool({
    name: 'note',
    description: 'Keeps a note.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'irreversible',
    run: ({ text }) => `kept ${text}`,
  });
  const call = 'mcp__signalbox__call_tool';

  async function boxWith(t: TestContext, options: SignalboxOptions = {}): Promise<Signalbox> {
    const box = await createSignalbox({ servers: [localServer({ name: 'notes', tools: [note] })], ...options });
    t.after(() => box.close());
    return box;
  }

  test('is a call of the tool it names: its rules, its schema, its approval, one record', async (t) => {
    const asked: string[] = [];
    const box = await boxWith(t, {
      approve: (request) => {
        asked.push(`${request.tool.name} ${JSON.stringify(request.arguments)}`);
        return { allow: true };
      },
      policies: [{ id: 'no-secrets', match: 'mcp__notes__note', deny: "args.text == 'secret'" }],
    });
    const invoked: unknown[] = [];
    box.on('ToolInvoked', ({ tool, adapter, outcome, arguments: args, effect }) =>
      invoked.push([tool, adapter, outcome, args, effect]),
    );
    const through = (args: unknown) => box.call(call, { name: 'mcp__notes__note', arguments: args });
    const done = await through({ text: 'hello' });
    assert.deepEqual(
      [done.outcome, done.tool, done.content[0]],
      ['completed', 'mcp__notes__note', { type: 'text', text: 'kept hello' }],
    );
    const denied = await through({ text: 'secret' });
    assert.deepEqual([denied.outcome, denied.decision?.rule], ['denied', 'no-secrets']);
    assert.equal((await through({})).error?.code, 'arguments-invalid');
    const unknown = await box.call(call, { name: 'mcp__notes__not', arguments: {} });
    assert.match(unknown.error?.message ?? '', /did you mean "mcp__notes__note"/);
    assert.equal((await box.call(call, { name: call, arguments: {} })).error?.code, 'arguments-invalid');
    assert.equal((await box.call(call, { text: 'x' })).error?.code, 'arguments-invalid');
    assert.deepEqual(asked, ['mcp__notes__note {"text":"hello"}']);
    assert.deepEqual(invoked, [
      ['mcp__notes__note', 'local:notes', 'completed', { text: 'hello' }, 'irreversible'],
      ['mcp__notes__note', 'local:notes', 'denied', { text: 'secret' }, 'irreversible'],
      ['mcp__notes__note', 'local:notes', 'failed', {}, 'irreversible'],
      ['mcp__notes__not', undefined, 'denied', {}, undefined],
      [call, undefined, 'failed', {}, undefined],
      [call, undefined, 'failed', {}, undefined],
    ]);
  });

  test('is pinned as it was listed, and what it names as it is; edited arguments run all the same', async (t) => {
    const box = await boxWith(t, {
      approve: () => ({ allow: true, arguments: { text: 'edited' } }),
      profiles: { found: { disclosure: 'always' } },
    });
    const listed = box.tools({ profile: 'found' });
    const definitionHash = listed.find(({ name }) => name === call)?.definitionHash;
    assert.ok(definitionHash !== undefined);
    const given = { name: 'mcp__notes__note', arguments: { text: 'hello' } };
    const edited = await box.call(call, given, { definitionHash });
    assert.equal(edited.outcome, 'completed');
    assert.deepEqual(edited.content.at(-1), { type: 'text', text: 'kept edited' });
    assert.equal((await box.call(call, given, { definitionHash: 'other' })).outcome, 'stale');
    const gone = await box.call(call, { name: 'mcp__notes__gone' }, { definitionHash });
    assert.equal(gone.error?.code, 'tool-unknown');
  });

  test('reaches and finds what its caller’s profile shows, and nothing else', async (t) => {
    const box = await boxWith(t, {
      approve: () => ({ allow: true }),
      profiles: { none: { servers: [], tools: ['nothing'], disclosure: 'always' }, some: { disclosure: 'always' } },
    });
    const given = { name: 'mcp__notes__note', arguments: { text: 'x' } };
    const hidden = await box.call(call, given, { profile: 'none' });
    assert.deepEqual([hidden.outcome, hidden.error?.code], ['denied', 'tool-hidden']);
    assert.equal((await box.call(call, given, { profile: 'some' })).outcome, 'completed');
    const search = async (profile: string): Promise<unknown> =>
      (await box.call('mcp__signalbox__search_tools', { query: 'keep a note' }, { profile })).structuredContent;
    assert.deepEqual(await search('none'), { tools: [] });
    assert.notDeepEqual(await search('some'), { tools: [] });
  });

  test('finds what it then calls', async (t) => {
    const box = await boxWith(t, { approve: () => ({ allow: true }) });
    const found = await box.call('mcp__signalbox__search_tools', { query: 'keep a note' });
    const [best] = (found.structuredContent as { tools: { name: string }[] }).tools;
    assert.equal(best?.name, 'mcp__notes__note');
    const told = await box.call('mcp__signalbox__describe_tool', { name: best.name });
    assert.equal(told.outcome, 'completed');
    assert.equal((await box.call(call, { name: best.name, arguments: { text: 'x' } })).outcome, 'completed');
  });
});
