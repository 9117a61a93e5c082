import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { jsonSchema, tool as aiTool } from 'ai';
import * as v from 'valibot';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { ParsedArguments } from '../../catalog/source/source.ts';
import { SignalboxError } from '../../core/errors.ts';
import { localServer } from './local-server.ts';
import { type CompiledToolSchema, compileToolSchema } from './compile-tool-schema.ts';

function compile(schema: unknown): CompiledToolSchema {
  return compileToolSchema(schema, new SchemaCompiler(), 'tool "t" of server "s", input');
}

async function parsed(schema: unknown, value: unknown): Promise<ParsedArguments> {
  return compile(schema).parse(value);
}

/** Returns the arguments that the handler receives, or the problems as text. */
async function validated(schema: unknown, value: unknown): Promise<unknown> {
  const result = await parsed(schema, value);
  return result.ok ? result.value : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

function assertRejected(schema: unknown, message: RegExp): void {
  assert.throws(
    () => compile(schema),
    (error) =>
      error instanceof SignalboxError &&
      error.code === 'schema-unsupported' &&
      error.message.startsWith('tool "t" of server "s", input: ') &&
      message.test(error.message),
  );
}

const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

describe('compileToolSchema', () => {
  const kinds: readonly [string, unknown][] = [
    ['Zod', z.object({ name: z.string() })],
    ['Valibot through its converter', toStandardJsonSchema(v.object({ name: v.string() }))],
    ['JSON Schema', person],
    ['JSON Schema of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', ...person }],
    ['the AI SDK’s jsonSchema()', jsonSchema(person)],
    ['the AI SDK’s jsonSchema() of a function', jsonSchema(() => person)],
    ['Zod through the AI SDK’s tool()', aiTool({ inputSchema: z.object({ name: z.string() }) }).inputSchema],
    ['a function that returns Zod', () => z.object({ name: z.string() })],
    ['a function that returns an AI SDK schema', () => jsonSchema(person)],
    ['a shape of the Claude Agent SDK', { name: z.string() }],
  ];
  for (const [kind, schema] of kinds) {
    test(`converts to JSON Schema and validates: ${kind}`, async () => {
      const { json, notices } = compile(schema);
      assert.ok(typeof json === 'object');
      assert.deepEqual({ type: json['type'], properties: json['properties'], required: json['required'] }, person);
      assert.deepEqual(notices, []);
      assert.deepEqual(await validated(schema, { name: 'Ada' }), { name: 'Ada' });
      const problems = await parsed(schema, { name: 7 });
      assert.ok(!problems.ok);
      assert.equal(problems.problems.length, 1);
      assert.equal(problems.problems[0]?.path, '$.name');
      assert.ok(!(await parsed(schema, {})).ok);
    });
  }
});

describe('a compiled schema', () => {
  test('applies defaults and transforms', async () => {
    const schema = z.object({
      at: z.iso.date().transform((text) => new Date(text)),
      tags: z.array(z.string()).default([]),
    });
    assert.deepEqual(await validated(schema, { at: '2026-11-15', unknown: 1 }), {
      at: new Date('2026-11-15'),
      tags: [],
    });
    assert.deepEqual(await validated(person, { name: 'Ada', unknown: 1 }), { name: 'Ada', unknown: 1 });
  });

  test('awaits asynchronous refinements', async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') });
    assert.deepEqual(await validated(schema, { name: 'free' }), { name: 'free' });
    assert.deepEqual(await validated(schema, { name: 'taken' }), ['$.name: is taken']);
  });

  test('uses the validate function of an AI SDK schema', async () => {
    const schema = jsonSchema<{ name: string }>(person, {
      validate: async (value) =>
        (value as { name: string }).name === 'Ada'
          ? { success: true, value: { name: 'Ada L.' } }
          : { success: false, error: new Error('only Ada') },
    });
    assert.deepEqual(await validated(schema, { name: 'Ada' }), { name: 'Ada L.' });
    assert.deepEqual(await validated(schema, { name: 'Bob' }), ['$: only Ada']);
  });

  test('reports problems with the same paths for every kind of schema', async () => {
    const value = { items: [{}, { 'odd key': 1 }] };
    const item = { 'odd key': z.string().optional() };
    assert.match(
      String(await validated(z.object({ items: z.array(z.object(item)) }), value)),
      /^\$\.items\[1\]\["odd key"\]: /,
    );
    assert.match(
      String(
        await validated(
          toStandardJsonSchema(v.object({ items: v.array(v.object({ 'odd key': v.optional(v.string()) })) })),
          value,
        ),
      ),
      /^\$\.items\[1\]\["odd key"\]: /,
    );
    assert.match(
      String(
        await validated({ properties: { items: { items: { properties: { 'odd key': { type: 'string' } } } } } }, value),
      ),
      /^\$\.items\[1\]\["odd key"\]: /,
    );
  });

  test('reports at most ten problems', async () => {
    const value = { list: Array.from({ length: 100_000 }, () => 1) };
    for (const schema of [
      z.object({ list: z.array(z.string()) }),
      toStandardJsonSchema(v.object({ list: v.array(v.string()) })),
    ]) {
      const result = await parsed(schema, value);
      assert.ok(!result.ok);
      assert.equal(result.problems.length, 11);
      assert.equal(result.problems.at(-1)?.message, 'and 99990 more problems');
    }
  });
});

describe('compileToolSchema rejects with the reason', () => {
  test('a Standard Schema that does not export JSON Schema', () => {
    assertRejected(
      v.object({ a: v.string() }),
      /a schema made by "valibot" does not export JSON Schema .*toStandardJsonSchema of @valibot\/to-json-schema/,
    );
    assertRejected(z3.object({ a: z3.string() }), /a schema made by "zod" does not export JSON Schema/);
  });

  test('Zod types that JSON cannot represent', () => {
    for (const type of [z.date(), z.bigint(), z.map(z.string(), z.string()), z.symbol(), z.undefined()])
      assertRejected(z.object({ a: type }), /the schema cannot be converted to JSON Schema: .*cannot be represented/);
  });

  test('Valibot types that JSON cannot represent', () => {
    assertRejected(toStandardJsonSchema(v.object({ a: v.date() })), /the schema cannot be converted to JSON Schema: /);
  });

  test('a shape with anything but types of Zod 4', () => {
    assertRejected({ name: z3.string() }, /"name" is not a Zod 4 type/);
    assertRejected({ name: z.string(), age: { type: 'number' } }, /"age" is not a Zod 4 type/);
    assertRejected({ name: v.string() }, /"name" is not a Zod 4 type/);
  });

  test('a promise', () => {
    assertRejected(Promise.resolve(person), /the schema is a promise; await it first/);
    assertRejected(jsonSchema(Promise.resolve(person)), /the AI SDK schema is a promise; await it first/);
    assertRejected(async () => person, /the schema is a promise; await it first/);
  });

  test('an AI SDK schema whose function throws', () => {
    assertRejected(
      jsonSchema(() => assert.fail('no converter')),
      /the AI SDK schema cannot be converted to JSON Schema: no converter/,
    );
  });

  test('values that are not schemas', () => {
    for (const [schema, found] of [
      [null, 'null'],
      [undefined, 'undefined'],
      ['string', 'string'],
      [7, 'number'],
      [[], 'object'],
    ] as const) {
      assertRejected(schema, new RegExp(`expected Zod, a Standard Schema or a JSON Schema object, found ${found}$`));
    }
  });

  test('a schema of a server, by tool, server and direction', () => {
    const server = (tool: object) => () =>
      localServer({ name: 'clock', tools: [{ name: 'set', description: 'x', run: () => null, ...tool }] });
    assert.throws(
      server({ input: z.object({ at: z.date() }) }),
      /^SignalboxError: tool "set" of server "clock", input: /,
    );
    assert.throws(
      server({ output: z.object({ at: z.bigint() }) }),
      /^SignalboxError: tool "set" of server "clock", output: /,
    );
    assert.throws(
      server({ input: z.string() }),
      /^SignalboxError: tool "set" of server "clock", input: arguments are always an object, but the schema describes "string"/,
    );
    assert.throws(
      server({ input: { type: 'array' } }),
      /arguments are always an object, but the schema describes "array"/,
    );
  });
});

describe('a JSON Schema that does not compile', () => {
  test('is returned unchanged with the reason, and rejects all values unless it is trusted', async () => {
    const schema = { type: 'object', properties: { a: { type: 'strin' } } };
    const { json, problem, parse, parseTrusting } = compile(schema);
    assert.equal(json, schema);
    assert.match(problem ?? '', /^schema is invalid: /);
    assert.equal((await parse({ a: 1 })).ok, false);
    assert.deepEqual(parseTrusting?.({ a: 1 }), { ok: true, value: { a: 1 } });
  });

  test('adds a notice when it is the output schema, and results pass', () => {
    const [tool] = localServer({
      name: 's',
      tools: [{ name: 'x', description: 'x', output: { type: 'strin' }, run: () => null }],
    }).state().tools;
    assert.match(tool?.notices.join() ?? '', /its output schema cannot be used/);
  });
});
