import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { testSource, testTool } from '../../../../test/support/test-source.ts';
import type { CallResult } from '../../../core/calls/call.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { type ToolSchema, defineTool } from '../../../sources/local/define-tool.ts';
import { localServer } from '../../../sources/local/local-server.ts';
import { shapeSource } from './shape-source.ts';
import type { ArgumentShaping } from './tool-shaping.ts';

const origin = 'signalbox.config.json';
const input = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    head: { type: 'integer', description: 'How many lines.' },
    options: { $ref: '#/$defs/options' },
  },
  required: ['path', 'head'],
  $defs: { options: { type: 'object', properties: { deep: { type: 'boolean' } } } },
};

/** A box with one tool that answers what arguments it got. */
async function boxWith(shaping: ArgumentShaping, schema: ToolSchema = input): Promise<Signalbox> {
  const echo = defineTool({
    name: 'echo',
    description: 'Echo.',
    effect: 'read',
    input: schema,
    run: (args) => ({ got: args }),
  });
  const server = localServer({ name: 's', tools: [echo] });
  const box = await createSignalbox({ builtin: false });
  box.servers.add(shapeSource(server, { origin, arguments: { echo: shaping } }));
  return box;
}

async function using<Value>(
  shaping: ArgumentShaping,
  work: (box: Signalbox, call: (args: unknown) => Promise<CallResult>) => Value | Promise<Value>,
  schema?: ToolSchema,
): Promise<Value> {
  const box = await boxWith(shaping, schema);
  try {
    return await work(box, (args) => box.call('mcp__s__echo', args));
  } finally {
    await box.close();
  }
}

const gotOf = (result: CallResult): unknown => (result.structuredContent as JsonObject | undefined)?.['got'];

describe('a default', () => {
  test('is shown, makes the argument optional, and is filled in when the caller gives none', () =>
    using({ default: { head: 10 } }, async (box, call) => {
      assert.deepEqual(box.tools()[0]?.inputSchema, {
        ...input,
        properties: { ...input.properties, head: { type: 'integer', description: 'How many lines.', default: 10 } },
        required: ['path'],
      });
      assert.deepEqual(gotOf(await call({ path: 'x' })), { path: 'x', head: 10 });
      assert.deepEqual(gotOf(await call({ path: 'x', head: undefined })), { path: 'x', head: 10 });
      assert.deepEqual(gotOf(await call({ path: 'x', head: 3 })), { path: 'x', head: 3 });
    }));

  test('is a copy for every call: what a handler does to it stays there', async () => {
    const seen: unknown[] = [];
    const tool = testTool('t', {
      run: (args) => void (args as { list: number[] }).list.push(1),
      parse: (args) => {
        seen.push(structuredClone(args));
        return { ok: true, value: args };
      },
    });
    const box = await createSignalbox({ builtin: false });
    box.servers.add(shapeSource(testSource('s', [tool]), { origin, arguments: { t: { default: { list: [] } } } }));
    await box.call('mcp__s__t', {});
    await box.call('mcp__s__t', {});
    await box.close();
    assert.deepEqual(seen, [{ list: [] }, { list: [] }]);
  });
});

describe('a hidden argument', () => {
  test('is not shown, is refused, and gets its default', () =>
    using({ default: { head: 10 }, hide: ['head', 'options'] }, async (box, call) => {
      assert.deepEqual(box.tools()[0]?.inputSchema, {
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
        $defs: input.$defs,
      });
      assert.deepEqual(gotOf(await call({ path: 'x' })), { path: 'x', head: 10 });
      const refused = await call({ path: 'x', head: 1 });
      assert.equal(refused.error?.code, 'arguments-invalid');
      assert.equal(
        refused.error?.message,
        'the arguments of mcp__s__echo do not fit its schema: $.head: "head" is not known',
      );
    }));

  test('that is required and has no value is a configuration error that names tool and argument', async () => {
    await assert.rejects(boxWith({ hide: ['head'] }), {
      code: 'tool-invalid',
      message: `${origin}: tools.arguments of tool "echo" hides "head", which is required; give it a value with "default" or "set"`,
    });
    await (await boxWith({ hide: ['options'] })).close();
  });
});

describe('a fixed argument', () => {
  test('is not shown, is refused, and always has its value', () =>
    using({ set: { head: 5, options: { deep: true } } }, async (box, call) => {
      const { inputSchema } = box.tools()[0] ?? {};
      assert.deepEqual((inputSchema as JsonObject)['properties'], { path: { type: 'string' } });
      assert.deepEqual(gotOf(await call({ path: 'x' })), { path: 'x', head: 5, options: { deep: true } });
      const refused = await call({ path: 'x', head: 5 });
      assert.equal(refused.error?.code, 'arguments-invalid');
      assert.match(refused.error?.message ?? '', /\$\.head: "head" cannot be given: its value is fixed$/);
    }));

  test('whose value does not fit is a configuration error, at once', async () => {
    await assert.rejects(boxWith({ set: { head: 'many' } }), {
      message: `${origin}: tools.arguments of tool "echo" gives a value that does not fit the schema: $.head: must be integer`,
    });
    await assert.rejects(boxWith({ default: { options: { deep: 1 } } }), /\$\.options\.deep: must be boolean/);
  });

  test('leaves no empty "required" behind', () =>
    using({ set: { head: 5, path: 'x' } }, (box) => {
      assert.deepEqual(
        box.tools().flatMap(({ inputSchema }) => Object.keys(inputSchema)),
        ['type', 'properties', '$defs'],
      );
    }));
});

test('the caller’s arguments are checked against what the caller saw, then the whole by the tool itself', async () => {
  const schema = z
    .object({ path: z.string(), head: z.number() })
    .refine(({ path, head }) => path.length <= head, 'too long');
  await using(
    { set: { head: 3 } },
    async (_box, call) => {
      assert.match((await call({ path: 1 })).error?.message ?? '', /\$\.path: must be string$/);
      assert.match((await call({})).error?.message ?? '', /\$: "path" is missing$/);
      assert.match((await call({ path: 'long' })).error?.message ?? '', /too long/);
      assert.deepEqual(gotOf(await call({ path: 'abc' })), { path: 'abc', head: 3 });
    },
    schema,
  );
});

test('policy decides on fixed, hidden and default values as the tool receives them', () =>
  using(
    { hide: ['via'], set: { to: ' eve ' }, default: { via: 'WIRE', amount: 9 } },
    async (box, call) => {
      for (const condition of ["args.to == 'eve'", "args.via == 'wire'", 'args.amount == 900']) {
        await box.policies.set([{ id: 'no', match: 'mcp__s__*', deny: condition }]);
        assert.equal((await call({})).decision?.rule, 'no', condition);
      }
      await box.policies.set([]);
      assert.deepEqual(gotOf(await call({})), { to: 'eve', via: 'wire', amount: 900 });
    },
    z.object({
      to: z.string().trim(),
      via: z.string().toLowerCase(),
      amount: z.number().transform((euros) => euros * 100),
    }),
  ));

describe('a schema that cannot be changed in place', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] };

  test('without plain properties: a notice, and it still holds in every call', () =>
    using(
      { set: { b: 1 } },
      async (box, call) => {
        assert.deepEqual(box.tools()[0]?.inputSchema, { type: 'object', allOf: [inner] });
        assert.deepEqual(box.catalog().notices, [
          {
            server: 's',
            tool: 'mcp__s__echo',
            message: `its schema has no plain "properties", so the settings of ${origin} for "b" are not shown in it; they apply to every call`,
          },
        ]);
        assert.deepEqual(gotOf(await call({ a: 'x' })), { a: 'x', b: 1 });
        assert.equal((await call({ a: 'x', b: 1 })).error?.code, 'arguments-invalid');
        assert.equal((await call({ a: 1 })).error?.code, 'arguments-invalid');
      },
      { type: 'object', allOf: [inner] },
    ));

  test('with properties that depend on each other: a caller need not give what is fixed', () =>
    using(
      { set: { b: 1 } },
      async (box, call) => {
        assert.deepEqual(gotOf(await call({ a: 'x' })), { a: 'x', b: 1 });
        assert.match(box.catalog().notices[0]?.message ?? '', /^"dependentRequired" of its schema may still mention/);
      },
      { ...inner, dependentRequired: { a: ['b'] }, minProperties: 2 },
    ));
});

test('an argument the tool does not have is a notice with the nearest name', () =>
  using({ hide: ['haed'], default: { head: 1 } }, (box) => {
    assert.deepEqual(
      box.catalog().notices.map(({ message }) => message),
      [`tools.arguments in ${origin} names "haed", which is not an argument of this tool; did you mean "head"?`],
    );
  }));

test('hidden and fixed arguments cannot be overridden by anything a caller gives', async () => {
  const open = { type: 'object', properties: { hidden: {}, fixed: {}, free: {} } };
  const keys = fc.constantFrom('hidden', 'fixed', 'free', 'other', '__proto__', 'constructor', 'toString');
  const given = fc
    .array(
      fc.tuple(keys, fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant({ fixed: 'evil', hidden: 'evil' }))),
    )
    .map((entries) => Object.fromEntries(entries) as unknown);
  await using(
    { hide: ['hidden'], default: { hidden: 'calm' }, set: { fixed: { sure: true } } },
    async (_box, call) => {
      await fc.assert(
        fc.asyncProperty(given, async (args) => {
          const asked = args as Record<string, unknown>;
          const meddles = ['hidden', 'fixed'].some((key) => Object.hasOwn(asked, key) && asked[key] !== undefined);
          const result = await call(args);
          if (meddles) {
            assert.equal(result.error?.code, 'arguments-invalid');
            return;
          }
          assert.equal(result.outcome, 'completed', JSON.stringify(result.error));
          const got = gotOf(result) as JsonObject;
          assert.equal(Object.getPrototypeOf(got), Object.prototype);
          assert.deepEqual([got['hidden'], got['fixed']], ['calm', { sure: true }]);
          assert.equal(
            Object.hasOwn(got, '__proto__'),
            Object.hasOwn(asked, '__proto__') && asked['__proto__'] !== undefined,
          );
        }),
        { numRuns: 500 },
      );
      let reads = 0;
      const shifty = {
        get fixed() {
          reads += 1;
          return reads > 1 ? 'evil' : undefined;
        },
      };
      const result = await call(shifty);
      assert.ok(result.error?.code === 'arguments-invalid' || !JSON.stringify(gotOf(result)).includes('evil'));
    },
    open,
  );
  assert.equal(({} as JsonObject)['fixed'], undefined);
});
