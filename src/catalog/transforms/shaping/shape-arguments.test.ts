import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { testSource, testTool } from '../../../../test/support/boxes/test-source.ts';
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

/** Creates a box with a tool that returns its arguments. */
async function boxWith(shaping: ArgumentShaping, schema: ToolSchema = input): Promise<Signalbox> {
  const echo = defineTool({
    name: 'echo',
    description: 'Echo.',
    effect: 'read',
    input: schema,
    run: (args) => ({ received: args }),
  });
  const server = localServer({ name: 's', tools: [echo] });
  const box = await createSignalbox({ builtin: false });
  box.servers.add(shapeSource(server, { origin, arguments: { echo: shaping } }));
  return box;
}

async function withEcho<Value>(
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

const receivedBy = (result: CallResult): unknown => (result.structuredContent as JsonObject | undefined)?.['received'];

describe('a default value', () => {
  test('is listed, makes the argument optional, and is used when the caller omits it', () =>
    withEcho({ default: { head: 10 } }, async (box, call) => {
      assert.deepEqual(box.tools()[0]?.inputSchema, {
        ...input,
        properties: { ...input.properties, head: { type: 'integer', description: 'How many lines.', default: 10 } },
        required: ['path'],
      });
      assert.deepEqual(receivedBy(await call({ path: 'x' })), { path: 'x', head: 10 });
      assert.deepEqual(receivedBy(await call({ path: 'x', head: undefined })), { path: 'x', head: 10 });
      assert.deepEqual(receivedBy(await call({ path: 'x', head: 3 })), { path: 'x', head: 3 });
    }));

  test('is copied for every call', async () => {
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
  test('is not listed, is rejected when given, and has its default value', () =>
    withEcho({ default: { head: 10 }, hide: ['head', 'options'] }, async (box, call) => {
      assert.deepEqual(box.tools()[0]?.inputSchema, {
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
        $defs: input.$defs,
      });
      assert.deepEqual(receivedBy(await call({ path: 'x' })), { path: 'x', head: 10 });
      const rejected = await call({ path: 'x', head: 1 });
      assert.equal(rejected.error?.code, 'arguments-invalid');
      assert.equal(
        rejected.error?.message,
        'the arguments of mcp__s__echo do not match its schema: $.head: "head" is not known',
      );
    }));

  test('that is required and has no value is a configuration error with the tool and the argument', async () => {
    await assert.rejects(boxWith({ hide: ['head'] }), {
      code: 'tool-invalid',
      message: `${origin}: tools.arguments of tool "echo" hides "head", which is required; give it a value with "default" or "set"`,
    });
    await (await boxWith({ hide: ['options'] })).close();
  });
});

describe('a fixed argument', () => {
  test('is not listed, is rejected when given, and always has its value', () =>
    withEcho({ set: { head: 5, options: { deep: true } } }, async (box, call) => {
      const { inputSchema } = box.tools()[0] ?? {};
      assert.deepEqual((inputSchema as JsonObject)['properties'], { path: { type: 'string' } });
      assert.deepEqual(receivedBy(await call({ path: 'x' })), { path: 'x', head: 5, options: { deep: true } });
      const rejected = await call({ path: 'x', head: 5 });
      assert.equal(rejected.error?.code, 'arguments-invalid');
      assert.match(rejected.error?.message ?? '', /\$\.head: "head" cannot be given: its value is fixed$/);
    }));

  test('whose value does not match the schema is a configuration error', async () => {
    await assert.rejects(boxWith({ set: { head: 'many' } }), {
      message: `${origin}: tools.arguments of tool "echo" gives a value that does not match the schema: $.head: must be integer`,
    });
    await assert.rejects(boxWith({ default: { options: { deep: 1 } } }), /\$\.options\.deep: must be boolean/);
  });

  test('removes a "required" list that becomes empty', () =>
    withEcho({ set: { head: 5, path: 'x' } }, (box) => {
      assert.deepEqual(
        box.tools().flatMap(({ inputSchema }) => Object.keys(inputSchema)),
        ['type', 'properties', '$defs'],
      );
    }));
});

test('arguments are checked against the listed schema, then, with the fixed ones, by the tool', async () => {
  const schema = z
    .object({ path: z.string(), head: z.number() })
    .refine(({ path, head }) => path.length <= head, 'too long');
  await withEcho(
    { set: { head: 3 } },
    async (_box, call) => {
      assert.match((await call({ path: 1 })).error?.message ?? '', /\$\.path: must be string$/);
      assert.match((await call({})).error?.message ?? '', /\$: "path" is missing$/);
      assert.match((await call({ path: 'long' })).error?.message ?? '', /too long/);
      assert.deepEqual(receivedBy(await call({ path: 'abc' })), { path: 'abc', head: 3 });
    },
    schema,
  );
});

test('policy evaluates fixed, hidden and default values as the tool receives them', () =>
  withEcho(
    { hide: ['via'], set: { to: ' eve ' }, default: { via: 'WIRE', amount: 9 } },
    async (box, call) => {
      for (const condition of ["args.to == 'eve'", "args.via == 'wire'", 'args.amount == 900']) {
        await box.policies.set([{ id: 'no', match: 'mcp__s__*', deny: condition }]);
        assert.equal((await call({})).decision?.rule, 'no', condition);
      }
      await box.policies.set([]);
      assert.deepEqual(receivedBy(await call({})), { to: 'eve', via: 'wire', amount: 900 });
    },
    z.object({
      to: z.string().trim(),
      via: z.string().toLowerCase(),
      amount: z.number().transform((euros) => euros * 100),
    }),
  ));

describe('a schema that cannot be shaped', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] };

  test('because it has no plain properties: reported, and the settings apply to every call', () =>
    withEcho(
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
        assert.deepEqual(receivedBy(await call({ a: 'x' })), { a: 'x', b: 1 });
        assert.equal((await call({ a: 'x', b: 1 })).error?.code, 'arguments-invalid');
        assert.equal((await call({ a: 1 })).error?.code, 'arguments-invalid');
      },
      { type: 'object', allOf: [inner] },
    ));

  test('because its properties depend on each other: callers need not provide fixed arguments', () =>
    withEcho(
      { set: { b: 1 } },
      async (box, call) => {
        assert.deepEqual(receivedBy(await call({ a: 'x' })), { a: 'x', b: 1 });
        assert.match(box.catalog().notices[0]?.message ?? '', /^"dependentRequired" of its schema may still mention/);
      },
      { ...inner, dependentRequired: { a: ['b'] }, minProperties: 2 },
    ));
});

test('an unknown argument name is reported with the closest known name', () =>
  withEcho({ hide: ['haed'], default: { head: 1 } }, (box) => {
    assert.deepEqual(
      box.catalog().notices.map(({ message }) => message),
      [`tools.arguments in ${origin} names "haed", which is not an argument of this tool; did you mean "head"?`],
    );
  }));

test('hidden and fixed arguments cannot be overridden by any argument of a caller', async () => {
  const open = { type: 'object', properties: { hidden: {}, fixed: {}, free: {} } };
  const keys = fc.constantFrom('hidden', 'fixed', 'free', 'other', '__proto__', 'constructor', 'toString');
  const given = fc
    .array(
      fc.tuple(keys, fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant({ fixed: 'evil', hidden: 'evil' }))),
    )
    .map((entries) => Object.fromEntries(entries) as unknown);
  await withEcho(
    { hide: ['hidden'], default: { hidden: 'default' }, set: { fixed: { sure: true } } },
    async (_box, call) => {
      await fc.assert(
        fc.asyncProperty(given, async (args) => {
          const sent = args as Record<string, unknown>;
          const overrides = ['hidden', 'fixed'].some((key) => Object.hasOwn(sent, key) && sent[key] !== undefined);
          const result = await call(args);
          if (overrides) {
            assert.equal(result.error?.code, 'arguments-invalid');
            return;
          }
          assert.equal(result.outcome, 'completed', JSON.stringify(result.error));
          const received = receivedBy(result) as JsonObject;
          assert.equal(Object.getPrototypeOf(received), Object.prototype);
          assert.deepEqual([received['hidden'], received['fixed']], ['default', { sure: true }]);
          assert.equal(
            Object.hasOwn(received, '__proto__'),
            Object.hasOwn(sent, '__proto__') && sent['__proto__'] !== undefined,
          );
        }),
        { numRuns: 500 },
      );
      let reads = 0;
      const changing = {
        get fixed() {
          reads += 1;
          return reads > 1 ? 'evil' : undefined;
        },
      };
      const result = await call(changing);
      assert.ok(result.error?.code === 'arguments-invalid' || !JSON.stringify(receivedBy(result)).includes('evil'));
    },
    open,
  );
  assert.equal(({} as JsonObject)['fixed'], undefined);
});
