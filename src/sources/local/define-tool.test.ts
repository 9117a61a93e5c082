import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import * as z from 'zod';
import { SignalboxError } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { type ToolSchema, defineTool } from './define-tool.ts';
import type { AnyTool } from './foreign-tools.ts';
import { localServer } from './local-server.ts';

const run = (): null => null;
const boxes: Signalbox[] = [];
after(() => Promise.all(boxes.map((box) => box.close())));

/** Creates a box with one tool, and a function that calls it. */
async function boxWith(
  tool: AnyTool,
): Promise<{ call: (args: unknown) => Promise<unknown>; told: Record<string, unknown> }> {
  const box = await createSignalbox({ servers: [localServer({ name: 's', tools: [tool] })], builtin: false });
  boxes.push(box);
  const [definition] = box.tools();
  assert.ok(definition);
  return {
    told: { ...definition },
    call: async (args) => {
      const result = await box.call(definition.name, args);
      return result.outcome === 'completed' ? result.structuredContent : result.error.message;
    },
  };
}

describe('defineTool', () => {
  test('refuses a tool that could not be told or run, by name', () => {
    const invalid = (message: string) => (error: unknown) =>
      error instanceof SignalboxError && error.code === 'tool-invalid' && error.message === message;
    assert.throws(() => defineTool({ name: '', description: 'x', run }), invalid('a tool needs a name'));
    assert.throws(
      () => defineTool({ name: 'x', description: '', run }),
      invalid('tool "x" needs a description: it is what a model decides by'),
    );
    assert.throws(
      () => defineTool({ name: 'x', description: 'x', run: 'code' as unknown as () => null }),
      invalid('tool "x" needs a run function'),
    );
  });

  test('refuses an effect that does not exist: a slip must not make a tool run unasked', () => {
    for (const effect of ['ireversible', 'Irreversible', '', null, 'constructor'])
      assert.throws(
        () => defineTool({ name: 't', description: 'T.', effect: effect as 'read', run: () => 'x' }),
        /tool "t" has the effect .* which does not exist; use read, undoable, compensable, irreversible/,
      );
  });

  test('gives back a copy that cannot be changed', () => {
    const given = { name: 'x', description: 'x', run };
    const tool = defineTool(given);
    assert.ok(Object.isFrozen(tool));
    given.name = 'y';
    assert.equal(tool.name, 'x');
  });

  test('is not needed for a plain object, which is checked the same', () => {
    assert.throws(
      () => localServer({ name: 's', tools: [{ name: 'x', description: '', run }] }),
      /tool "x" needs a description/,
    );
    assert.throws(
      () => localServer({ name: 's', tools: [undefined as unknown as AnyTool] }),
      /a tool is neither made by defineTool nor/,
    );
    assert.equal(localServer({ name: 's', tools: [{ name: 'x', description: 'x', run }] }).state().tools[0]?.tool, 'x');
  });
});

describe('the same tool by each kind of schema', () => {
  const schemas: readonly [string, ToolSchema][] = [
    ['Zod', z.object({ a: z.number(), b: z.number() })],
    ['Valibot', toStandardJsonSchema(v.object({ a: v.number(), b: v.number() }))],
    [
      'JSON Schema',
      { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    ],
  ];
  for (const [kind, input] of schemas) {
    test(kind, async () => {
      const calls: unknown[] = [];
      const add = defineTool({
        name: 'add',
        description: 'Adds.',
        input,
        effect: 'read',
        run(args) {
          calls.push(args);
          return { sum: (args as { a: number }).a + (args as { b: number }).b };
        },
      });
      const { call, told } = await boxWith(add);
      assert.deepEqual(await call({ a: 1, b: 2 }), { sum: 3 });
      assert.match(String(await call({ a: 1, b: 'two' })), /do not fit its schema: \$\.b: /);
      assert.match(String(await call({ a: 1 })), /do not fit its schema: .*b/);
      assert.deepEqual(calls, [{ a: 1, b: 2 }], 'the handler never sees arguments that do not fit');
      const { type, properties, required } = told['inputSchema'] as Record<string, unknown>;
      assert.deepEqual(
        { type, properties, required },
        { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      );
    });
  }

  test('none: it takes no arguments and says so', async () => {
    const { call, told } = await boxWith(
      defineTool({ name: 'now', description: 'Tells the time.', effect: 'read', run: () => ({ now: 1 }) }),
    );
    assert.deepEqual(told['inputSchema'], { type: 'object', properties: {} });
    assert.deepEqual(await call(undefined), { now: 1 });
  });
});

describe('schemas with more to them', () => {
  test('defaults and transforms of the schema reach the handler; the model is told what it may leave out', async () => {
    const tool = defineTool({
      name: 'list',
      description: 'Lists.',
      effect: 'read',
      input: z.object({ limit: z.number().default(10), at: z.string().transform((text) => text.length) }),
      run: ({ limit, at }) => ({ limit, at }),
    });
    const { call, told } = await boxWith(tool);
    assert.deepEqual(await call({ at: 'four' }), { limit: 10, at: 4 });
    assert.deepEqual((told['inputSchema'] as Record<string, unknown>)['required'], ['at']);
  });

  test('a result is held to the output schema, and told as the handler returns it', async () => {
    let returned: unknown;
    const tool = {
      name: 'out',
      description: 'x',
      effect: 'read',
      output: z.object({ n: z.number().default(1), s: z.string() }),
      run: () => returned,
    } as const;
    const { call, told } = await boxWith(tool);
    returned = { s: 'x', extra: true };
    assert.deepEqual(await call({}), { s: 'x', extra: true });
    const schema = told['outputSchema'] as Record<string, unknown>;
    assert.deepEqual(schema['required'], ['s'], 'what the handler may leave out is not promised');
    assert.equal(schema['additionalProperties'], undefined, 'what is handed on is not promised away');
    returned = { s: 1 };
    assert.match(String(await call({})), /does not fit its output schema: \$\.s: /);
    returned = 'text';
    assert.match(String(await call({})), /does not fit its output schema/);
  });

  test('everything a tool says about itself is told', async () => {
    const { told } = await boxWith(
      defineTool({
        name: 'all',
        title: 'All',
        description: 'x',
        effect: 'undoable',
        annotations: { openWorldHint: true },
        idempotent: true,
        labels: ['private'],
        timeoutMs: 5,
        run,
      }),
    );
    const { definitionHash: _, inputSchema: __, ...rest } = told;
    assert.deepEqual(rest, {
      id: { server: 's', tool: 'all' },
      name: 'mcp__s__all',
      title: 'All',
      description: 'x',
      annotations: { openWorldHint: true },
      effect: 'undoable',
      idempotent: true,
      labels: ['private'],
      timeoutMs: 5,
    });
  });

  test('options for a provider reach the definition', async () => {
    const providerOptions = { openai: { strict: true } };
    const tool = defineTool({ name: 't', description: 'Does it.', providerOptions, run: () => 'x' });
    const [offered] = localServer({ name: 's', tools: [tool] }).state().tools;
    assert.deepEqual(offered?.providerOptions, providerOptions);
  });

  test('what is not declared counts as the worst: irreversible, unless it only reads or can be undone', () => {
    const effect = (tool: object): string | undefined =>
      localServer({ name: 's', tools: [{ name: 'x', description: 'x', run, ...tool }] }).state().tools[0]?.effect;
    assert.equal(effect({}), 'irreversible');
    assert.equal(effect({ annotations: { readOnlyHint: true } }), 'read');
    assert.equal(effect({ annotations: { readOnlyHint: false } }), 'irreversible');
    assert.equal(effect({ annotations: { destructiveHint: false, idempotentHint: true } }), 'irreversible');
    assert.equal(effect({ undo: run }), 'compensable');
    assert.equal(effect({ effect: 'undoable', annotations: { readOnlyHint: true }, undo: run }), 'undoable');
  });

  test('run keeps its `this`', async () => {
    const tool = {
      name: 'x',
      description: 'x',
      effect: 'read' as const,
      count: 41,
      run() {
        return { count: (this as { count: number }).count + 1 };
      },
    };
    const { call } = await boxWith(tool);
    assert.deepEqual(await call({}), { count: 42 });
  });
});
