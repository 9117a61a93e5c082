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
): Promise<{ call: (args: unknown) => Promise<unknown>; definition: Record<string, unknown> }> {
  const box = await createSignalbox({ servers: [localServer({ name: 's', tools: [tool] })], builtin: false });
  boxes.push(box);
  const [definition] = box.tools();
  assert.ok(definition);
  return {
    definition: { ...definition },
    call: async (args) => {
      const result = await box.call(definition.name, args);
      return result.outcome === 'completed' ? result.structuredContent : result.error.message;
    },
  };
}

describe('defineTool', () => {
  test('rejects a tool without name, description or handler, by name', () => {
    const invalid = (message: string) => (error: unknown) =>
      error instanceof SignalboxError && error.code === 'tool-invalid' && error.message === message;
    assert.throws(() => defineTool({ name: '', description: 'x', run }), invalid('a tool needs a name'));
    assert.throws(
      () => defineTool({ name: 'x', description: '', run }),
      invalid('tool "x" needs a description, by which models choose it'),
    );
    assert.throws(
      () => defineTool({ name: 'x', description: 'x', run: 'code' as unknown as () => null }),
      invalid('tool "x" needs a run function'),
    );
  });

  test('rejects an unknown effect, since a typo must not skip approvals', () => {
    for (const effect of ['ireversible', 'Irreversible', '', null, 'constructor'])
      assert.throws(
        () => defineTool({ name: 't', description: 'T.', effect: effect as 'read', run: () => 'x' }),
        /tool "t" has the effect .* which does not exist; use read, undoable, compensable, irreversible/,
      );
  });

  test('returns a frozen copy', () => {
    const given = { name: 'x', description: 'x', run };
    const tool = defineTool(given);
    assert.ok(Object.isFrozen(tool));
    given.name = 'y';
    assert.equal(tool.name, 'x');
  });

  test('is optional: plain objects get the same checks', () => {
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

describe('schemas of a tool', () => {
  const schemas: readonly [string, ToolSchema][] = [
    ['Zod', z.object({ a: z.number(), b: z.number() })],
    ['Valibot', toStandardJsonSchema(v.object({ a: v.number(), b: v.number() }))],
    [
      'JSON Schema',
      { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    ],
  ];
  for (const [kind, input] of schemas) {
    test(`validate arguments: ${kind}`, async () => {
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
      const { call, definition } = await boxWith(add);
      assert.deepEqual(await call({ a: 1, b: 2 }), { sum: 3 });
      assert.match(String(await call({ a: 1, b: 'two' })), /do not match its schema: \$\.b: /);
      assert.match(String(await call({ a: 1 })), /do not match its schema: .*b/);
      assert.deepEqual(calls, [{ a: 1, b: 2 }], 'the handler never receives invalid arguments');
      const { type, properties, required } = definition['inputSchema'] as Record<string, unknown>;
      assert.deepEqual(
        { type, properties, required },
        { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      );
    });
  }

  test('can be absent: the tool then takes no arguments', async () => {
    const { call, definition } = await boxWith(
      defineTool({ name: 'now', description: 'Returns the time.', effect: 'read', run: () => ({ now: 1 }) }),
    );
    assert.deepEqual(definition['inputSchema'], { type: 'object', properties: {} });
    assert.deepEqual(await call(undefined), { now: 1 });
  });
});

describe('members of a tool', () => {
  test('apply defaults and transforms to arguments, and list defaults as optional', async () => {
    const tool = defineTool({
      name: 'list',
      description: 'Lists.',
      effect: 'read',
      input: z.object({ limit: z.number().default(10), at: z.string().transform((text) => text.length) }),
      run: ({ limit, at }) => ({ limit, at }),
    });
    const { call, definition } = await boxWith(tool);
    assert.deepEqual(await call({ at: 'four' }), { limit: 10, at: 4 });
    assert.deepEqual((definition['inputSchema'] as Record<string, unknown>)['required'], ['at']);
  });

  test('check results against the output schema, and describe them as the handler returns them', async () => {
    let returned: unknown;
    const tool = {
      name: 'out',
      description: 'x',
      effect: 'read',
      output: z.object({ n: z.number().default(1), s: z.string() }),
      run: () => returned,
    } as const;
    const { call, definition } = await boxWith(tool);
    returned = { s: 'x', extra: true };
    assert.deepEqual(await call({}), { s: 'x', extra: true });
    const schema = definition['outputSchema'] as Record<string, unknown>;
    assert.deepEqual(schema['required'], ['s'], 'optional fields of the handler are not required');
    assert.equal(
      schema['additionalProperties'],
      undefined,
      'additional fields are passed on, so they are not excluded',
    );
    returned = { s: 1 };
    assert.match(String(await call({})), /does not match its output schema: \$\.s: /);
    returned = 'text';
    assert.match(String(await call({})), /does not match its output schema/);
  });

  test('are all part of the definition', async () => {
    const { definition } = await boxWith(
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
    const { definitionHash: _, inputSchema: __, ...rest } = definition;
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

  test('include provider options', async () => {
    const providerOptions = { openai: { strict: true } };
    const tool = defineTool({ name: 't', description: 'Does it.', providerOptions, run: () => 'x' });
    const [offered] = localServer({ name: 's', tools: [tool] }).state().tools;
    assert.deepEqual(offered?.providerOptions, providerOptions);
  });

  test('default to the effect irreversible, unless the tool only reads or has an undo', () => {
    const effect = (tool: object): string | undefined =>
      localServer({ name: 's', tools: [{ name: 'x', description: 'x', run, ...tool }] }).state().tools[0]?.effect;
    assert.equal(effect({}), 'irreversible');
    assert.equal(effect({ annotations: { readOnlyHint: true } }), 'read');
    assert.equal(effect({ annotations: { readOnlyHint: false } }), 'irreversible');
    assert.equal(effect({ annotations: { destructiveHint: false, idempotentHint: true } }), 'irreversible');
    assert.equal(effect({ undo: run }), 'compensable');
    assert.equal(effect({ effect: 'undoable', annotations: { readOnlyHint: true }, undo: run }), 'undoable');
  });

  test('keep the `this` of `run`', async () => {
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
