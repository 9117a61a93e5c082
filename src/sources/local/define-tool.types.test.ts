import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import type { FromJsonSchema } from './infer-json-schema.ts';

// The compiler checks these tests: a type error, or an expected error that does not occur, fails `npm run types`.

// The only comparison of types that distinguishes `any`, optional and readonly.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Compiles only where both types are the same. */
function same<One, Other>(..._proof: Equal<One, Other> extends true ? [] : [never]): void {}

const facts = { description: 'Does it.' } as const;

test('Zod types the arguments, after defaults and transforms', () => {
  const tool = defineTool({
    ...facts,
    name: 'zod',
    input: z.object({
      a: z.string(),
      b: z.number().optional(),
      c: z.boolean().default(true),
      d: z.string().transform((text) => text.length),
    }),
    run(args) {
      same<typeof args, { a: string; b?: number | undefined; c: boolean; d: number }>();
      // @ts-expect-error unknown argument
      return args.missing;
    },
  });
  same<Parameters<typeof tool.run>[0], { a: string; b?: number | undefined; c: boolean; d: number }>();
  assert.equal(tool.name, 'zod');
});

test('Valibot types the arguments', () => {
  defineTool({
    ...facts,
    name: 'valibot',
    input: toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.number(), 1) })),
    run: (args) => same<typeof args, { a: string; b: number }>(),
  });
});

test('a JSON Schema literal types the arguments, without "as const"', () => {
  defineTool({
    ...facts,
    name: 'literal',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        ratio: { type: 'number' },
        flag: { type: 'boolean' },
        nothing: { type: 'null' },
        colour: { enum: ['red', 'green', 3] },
        version: { const: 2 },
        tags: { type: 'array', items: { type: 'string' } },
        anything: { type: 'array' },
        nullable: { type: ['string', 'null'] },
        either: {
          anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }],
        },
        one: { oneOf: [{ const: 'a' }, { const: 'b' }] },
        nested: {
          type: 'object',
          properties: { deep: { type: 'array', items: { type: 'object', properties: { x: { type: 'number' } } } } },
          required: ['deep'],
        },
        free: { type: 'object' },
        open: {},
      },
      required: ['text', 'colour', 'nested'],
    },
    run(args) {
      same<
        typeof args,
        {
          text: string;
          colour: 'red' | 'green' | 3;
          nested: { deep: { x?: number }[] };
          count?: number;
          ratio?: number;
          flag?: boolean;
          nothing?: null;
          version?: 2;
          tags?: string[];
          anything?: unknown[];
          nullable?: string | null;
          either?: string | { id: number };
          one?: 'a' | 'b';
          free?: Record<string, unknown>;
          open?: unknown;
        }
      >();
      // @ts-expect-error `count` may be absent
      const count: number = args.count;
      // @ts-expect-error "blue" is not one of the values
      if (args.colour === 'blue') return 1;
      return count;
    },
  });
});

test('a JSON Schema without required properties makes all of them optional', () => {
  defineTool({
    ...facts,
    name: 'optional',
    input: { type: 'object', properties: { a: { type: 'string' } } },
    run: (args) => same<typeof args, { a?: string }>(),
  });
});

test('a JSON Schema without properties, or not known at compile time, types the arguments as unknown', () => {
  defineTool({
    ...facts,
    name: 'free',
    input: { type: 'object' },
    run: (args) => same<typeof args, Record<string, unknown>>(),
  });
  const schema: Record<string, unknown> = JSON.parse('{"type":"object"}') as Record<string, unknown>;
  defineTool({ ...facts, name: 'dynamic', input: schema, run: (args) => same<typeof args, Record<string, unknown>>() });
  same<FromJsonSchema<{ $ref: '#/$defs/x' }>, unknown>();
});

test('without input the arguments are an object of unknown properties', () => {
  defineTool({ ...facts, name: 'none', run: (args) => same<typeof args, Record<string, unknown>>() });
});

test('the output schema types the return value of the handler', () => {
  const output = z.object({ sum: z.number(), note: z.string().default('') });
  defineTool({ ...facts, name: 'fits', output, run: () => ({ sum: 1 }) });
  defineTool({ ...facts, name: 'fits later', output, run: async () => ({ sum: 1, note: 'x' }) });
  defineTool({
    ...facts,
    name: 'a whole result',
    output,
    run: (_args) => ({ content: [{ type: 'text', text: '1' }], structuredContent: { sum: 1 } }),
  });
  // @ts-expect-error a string is not a number
  defineTool({ ...facts, name: 'wrong', output, run: () => ({ sum: 'one' }) });
  // @ts-expect-error a promised string is not a number
  defineTool({ ...facts, name: 'wrong later', output, run: async () => ({ sum: 'one' }) });
  // @ts-expect-error `sum` is missing
  defineTool({ ...facts, name: 'missing', output, run: () => ({}) });
  const described = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
  defineTool({ ...facts, name: 'literal', output: described, run: () => ({ sum: 1 }) });
  // @ts-expect-error a JSON Schema is checked as well
  defineTool({ ...facts, name: 'literal wrong', output: described, run: () => ({ sum: 'one' }) });
  const sum = { type: 'number' } as const;
  defineTool({
    ...facts,
    name: 'inline',
    output: { type: 'object', properties: { sum } },
    // @ts-expect-error an inline JSON Schema is checked as well
    run: () => ({ sum: 'one' }),
  });
  defineTool({
    ...facts,
    name: 'whole',
    output: described,
    run: (_args) => ({ content: [{ type: 'text', text: 'x' }], structuredContent: { sum: 1 } }),
  });
});

test('without output the handler may return anything', () => {
  defineTool({ ...facts, name: 'anything', run: () => Symbol('x') });
});

test('undo gets the arguments of run', () => {
  defineTool({
    ...facts,
    name: 'undo',
    input: z.object({ id: z.string() }),
    run: ({ id }) => id,
    undo(args, { signal }) {
      same<typeof args, { id: string }>();
      same<typeof signal, AbortSignal>();
    },
  });
});

test('the context is typed', () => {
  defineTool({
    ...facts,
    name: 'context',
    run(_args, context) {
      same<typeof context.session, string | undefined>();
      same<typeof context.deadline, number>();
      context.progress({ progress: 1, total: 2 });
      // @ts-expect-error state holds JSON only
      context.state.set('key', new Map());
    },
  });
});

test('wrong use is a type error', () => {
  const run = (): null => null;
  // @ts-expect-error a tool needs a name
  assert.throws(() => defineTool({ description: 'x', run }));
  // @ts-expect-error a tool needs a description
  assert.throws(() => defineTool({ name: 'x', run }));
  // @ts-expect-error a tool needs a handler
  assert.throws(() => defineTool({ name: 'x', description: 'x' }));
  // @ts-expect-error unknown effect
  assert.throws(() => defineTool({ ...facts, name: 'x', effect: 'dangerous', run }));
  // @ts-expect-error unknown property
  defineTool({ ...facts, name: 'x', execute: run, run });
  // @ts-expect-error a string is not a schema
  defineTool({ ...facts, name: 'x', input: 'string', run });
  // @ts-expect-error Valibot alone does not export JSON Schema
  defineTool({ ...facts, name: 'x', input: v.object({ a: v.string() }), run });
});
