import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { distractors } from '../../../../test/support/boxes/distractors.ts';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../../signalbox/signalbox-options.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { type SignalboxTool, defineTool } from '../define-tool.ts';
import { localServer } from '../local-server.ts';
import { parseForwardedCall, describeTool, searchTools } from './disclosure-tools.ts';

const tools = distractors(100);
const [first] = tools;
assert.ok(first !== undefined);

describe('searchTools', () => {
  test('returns name, first sentence and arguments of matching tools, best first', () => {
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

describe('describeTool', () => {
  test('returns the parts that a call needs; for an unknown tool, the error names the closest match', () => {
    const { name, description, inputSchema, effect } = first;
    assert.deepEqual(describeTool(tools, { name }), { name, description, inputSchema, effect });
    assert.throws(() => describeTool(tools, { name: `${name}x` }), new RegExp(`did you mean "${name}"`));
    assert.throws(() => describeTool([], { name }), /search_tools finds the available tools/);
  });
});

describe('the list of tools', () => {
  const many = (count: number): SignalboxTool[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool_${index}`,
      description: 'Does something. '.repeat(30),
      effect: 'read',
      run: () => null,
    }));

  test('contains all tools, unless the profile discloses them on search: always, or where that saves tokens', async (t) => {
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
    assert.ok(!listed().includes('call_tool'), 'the search tools are listed only instead of the tools that they find');
    for (const tool of many(60).slice(40)) server.add(tool);
    assert.deepEqual([listed('auto'), listed('never').length], [finders, 63]);
    assert.equal(
      box.tools({ profile: 'auto' }),
      box.tools({ profile: 'auto' }),
      'the same array while nothing changes',
    );
  });
});

describe('call_tool', () => {
  test('rejects arguments that name no tool, with the problem', () => {
    assert.deepEqual(parseForwardedCall({ name: 'x' }), { name: 'x', arguments: {} });
    for (const wrong of [{}, { name: '' }, { name: 7 }, { name: 'x', arguments: [] }, { name: 'x', a: 1 }, null, 'x'])
      assert.equal(typeof parseForwardedCall(wrong), 'string');
  });

  const note = defineTool({
    name: 'note',
    description: 'Stores a note.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'irreversible',
    run: ({ text }) => `stored ${text}`,
  });
  const call = 'mcp__signalbox__call_tool';

  async function boxWith(t: TestContext, options: SignalboxOptions = {}): Promise<Signalbox> {
    const box = await createSignalbox({ servers: [localServer({ name: 'notes', tools: [note] })], ...options });
    t.after(() => box.close());
    return box;
  }

  test('is a call of the named tool: its rules, its schema, its approval, one journal entry', async (t) => {
    const approvals: string[] = [];
    const box = await boxWith(t, {
      approve: (request) => {
        approvals.push(`${request.tool.name} ${JSON.stringify(request.arguments)}`);
        return { allow: true };
      },
      policies: [{ id: 'no-secrets', match: 'mcp__notes__note', deny: "args.text == 'secret'" }],
    });
    const invoked: unknown[] = [];
    box.on('ToolInvoked', ({ tool, adapter, outcome, arguments: args, effect }) =>
      invoked.push([tool, adapter, outcome, args, effect]),
    );
    const forward = (args: unknown) => box.call(call, { name: 'mcp__notes__note', arguments: args });
    const done = await forward({ text: 'hello' });
    assert.deepEqual(
      [done.outcome, done.tool, done.content[0]],
      ['completed', 'mcp__notes__note', { type: 'text', text: 'stored hello' }],
    );
    const denied = await forward({ text: 'secret' });
    assert.deepEqual([denied.outcome, denied.decision?.rule], ['denied', 'no-secrets']);
    assert.equal((await forward({})).error?.code, 'arguments-invalid');
    const unknown = await box.call(call, { name: 'mcp__notes__not', arguments: {} });
    assert.match(unknown.error?.message ?? '', /did you mean "mcp__notes__note"/);
    assert.equal((await box.call(call, { name: call, arguments: {} })).error?.code, 'arguments-invalid');
    assert.equal((await box.call(call, { text: 'x' })).error?.code, 'arguments-invalid');
    assert.deepEqual(approvals, ['mcp__notes__note {"text":"hello"}']);
    assert.deepEqual(invoked, [
      ['mcp__notes__note', 'local:notes', 'completed', { text: 'hello' }, 'irreversible'],
      ['mcp__notes__note', 'local:notes', 'denied', { text: 'secret' }, 'irreversible'],
      ['mcp__notes__note', 'local:notes', 'failed', {}, 'irreversible'],
      ['mcp__notes__not', undefined, 'denied', {}, undefined],
      [call, undefined, 'failed', {}, undefined],
      [call, undefined, 'failed', {}, undefined],
    ]);
  });

  test('is bound to its own listed definition, and the named tool to its current one; edited arguments run', async (t) => {
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
    assert.deepEqual(edited.content.at(-1), { type: 'text', text: 'stored edited' });
    assert.equal((await box.call(call, given, { definitionHash: 'other' })).outcome, 'stale');
    const gone = await box.call(call, { name: 'mcp__notes__gone' }, { definitionHash });
    assert.equal(gone.error?.code, 'tool-unknown');
  });

  test('finds and calls only tools of the caller’s profile', async (t) => {
    const box = await boxWith(t, {
      approve: () => ({ allow: true }),
      profiles: { none: { servers: [], tools: ['nothing'], disclosure: 'always' }, some: { disclosure: 'always' } },
    });
    const given = { name: 'mcp__notes__note', arguments: { text: 'x' } };
    const hidden = await box.call(call, given, { profile: 'none' });
    assert.deepEqual([hidden.outcome, hidden.error?.code], ['denied', 'tool-hidden']);
    assert.equal((await box.call(call, given, { profile: 'some' })).outcome, 'completed');
    const search = async (profile: string): Promise<unknown> =>
      (await box.call('mcp__signalbox__search_tools', { query: 'store a note' }, { profile })).structuredContent;
    assert.deepEqual(await search('none'), { tools: [] });
    assert.notDeepEqual(await search('some'), { tools: [] });
  });

  test('calls a tool that search_tools found', async (t) => {
    const box = await boxWith(t, { approve: () => ({ allow: true }) });
    const found = await box.call('mcp__signalbox__search_tools', { query: 'store a note' });
    const [best] = (found.structuredContent as { tools: { name: string }[] }).tools;
    assert.equal(best?.name, 'mcp__notes__note');
    const described = await box.call('mcp__signalbox__describe_tool', { name: best.name });
    assert.equal(described.outcome, 'completed');
    assert.equal((await box.call(call, { name: best.name, arguments: { text: 'x' } })).outcome, 'completed');
  });
});
