import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from '../../core/json/json.ts';
import { SchemaCompiler } from './schema-compiler.ts';
import type { ArgumentProblem } from '../source/source.ts';

function problems(schema: JsonSchema, value: unknown, compiler = new SchemaCompiler()): ArgumentProblem[] | undefined {
  const compiled = compiler.compile(schema);
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.reason);
  let found = compiled.validate(value);
  // On a busy machine, a fast check may exceed its time limit as well.
  for (let retries = 20; retries > 0 && /timed out/.test(found?.[0]?.message ?? ''); retries -= 1)
    found = compiled.validate(value);
  return found;
}

function fits(schema: JsonSchema, value: unknown, compiler?: SchemaCompiler): boolean {
  return problems(schema, value, compiler) === undefined;
}

function reason(schema: JsonSchema): string {
  const compiled = new SchemaCompiler().compile(schema);
  assert.ok(!compiled.ok, 'the schema compiled');
  return compiled.reason;
}

const draft07 = 'http://json-schema.org/draft-07/schema#';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

describe('SchemaCompiler dialects', () => {
  test('2020-12, declared or by default: prefixItems, dependentRequired, unevaluatedProperties', () => {
    for (const declared of [{}, { $schema: draft2020 }]) {
      const compiler = new SchemaCompiler();
      const pair = { ...declared, prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
      assert.ok(fits(pair, ['a', 1], compiler));
      assert.ok(!fits(pair, [1, 'a'], compiler));
      assert.ok(!fits(pair, ['a', 1, 2], compiler));
      assert.ok(!fits({ ...declared, dependentRequired: { a: ['b'] } }, { a: 1 }, compiler));
      assert.ok(
        !fits({ ...declared, allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { b: 1 }, compiler),
      );
    }
  });

  test('draft-07, with http or https and with or without "#": items as a list, dependencies', () => {
    for (const $schema of [
      draft07,
      'http://json-schema.org/draft-07/schema',
      'https://json-schema.org/draft-07/schema#',
    ]) {
      const compiler = new SchemaCompiler();
      const pair = { $schema, items: [{ type: 'string' }, { type: 'number' }], additionalItems: false };
      assert.ok(fits(pair, ['a', 1], compiler));
      assert.ok(!fits(pair, [1, 'a'], compiler));
      assert.ok(!fits(pair, ['a', 1, 2], compiler));
      assert.ok(!fits({ $schema, dependencies: { a: ['b'] } }, { a: 1 }, compiler));
      assert.ok(fits({ $schema, prefixItems: [{ type: 'string' }] }, [1], compiler), 'draft-07 has no prefixItems');
    }
  });

  test('both dialects in one compiler', () => {
    const compiler = new SchemaCompiler();
    assert.ok(!fits({ $schema: draft07, items: [{ type: 'string' }] }, [1], compiler));
    assert.ok(!fits({ $schema: draft2020, prefixItems: [{ type: 'string' }] }, [1], compiler));
    assert.ok(!fits({ $schema: draft07, items: [{ type: 'number' }] }, ['a'], compiler));
  });
});

describe('SchemaCompiler returns the reason for', () => {
  for (const [name, schema, expected] of [
    ['an unknown type', { type: 'strin' }, /schema is invalid: data\/type must be equal to one of the allowed values/],
    [
      'items as a list together with a keyword of 2020-12',
      { items: [{ type: 'string' }], prefixItems: [true] },
      /schema is invalid: data\/items must be object,boolean/,
    ],
    ['an invalid pattern', { pattern: '(' }, /Unterminated group/],
    ['an unresolvable reference', { $ref: '#/$defs/gone' }, /can't resolve reference #\/\$defs\/gone/],
    [
      'an external reference, which is not fetched',
      { $ref: 'https://example.com/schema.json' },
      /can't resolve reference https:\/\/example\.com\/schema\.json/,
    ],
    ['an asynchronous schema', { $async: true, type: 'object' }, /\$async/],
    [
      'an asynchronous part',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $async: true, type: 'string' } } },
      /async/,
    ],
    ['a BigInt', { minimum: 1n }, /BigInt/],
  ] as const) {
    test(name, () => assert.match(reason(schema), expected));
  }

  test('a cycle of objects', () => {
    const schema: Record<string, unknown> = {};
    schema['not'] = schema;
    assert.match(reason(schema), /circular/);
  });

  test('nesting of 100,000 levels', () => {
    let schema: JsonSchema = {};
    for (let level = 0; level < 100_000; level++) schema = { not: schema };
    assert.match(reason(schema), /call stack/);
  });

  test('an asynchronous schema, without an unhandled rejection', async () => {
    const rejections: unknown[] = [];
    const listener = (rejection: unknown): number => rejections.push(rejection);
    process.on('unhandledRejection', listener);
    const compiled = new SchemaCompiler().compile({ $async: true, type: 'object' });
    if (compiled.ok) compiled.validate(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', listener);
    assert.deepEqual(rejections, []);
  });
});

describe('schemas of one compiler are isolated', () => {
  for (const $schema of [draft2020, draft07]) {
    test(`with the same $id and different content, ${$schema}`, () => {
      const compiler = new SchemaCompiler();
      for (const type of ['string', 'number', 'boolean', 'string']) {
        const schema = {
          $schema,
          $id: 'https://example.com/arguments',
          $ref: '#/definitions/value',
          definitions: { value: { type } },
        };
        assert.deepEqual(problems(schema, null, compiler), [{ path: '$', message: `must be ${type}` }]);
      }
    });

    test(`with parts that have the same $id in different places, ${$schema}`, () => {
      const compiler = new SchemaCompiler();
      for (const base of [{}, { $id: 'https://example.com/base' }]) {
        for (const [place, type] of [
          ['a', 'string'],
          ['b', 'number'],
          ['a', 'boolean'],
        ] as const) {
          const schema = {
            $schema,
            ...base,
            properties: { x: { $ref: 'part' } },
            definitions: { [place]: { $id: 'part', type } },
          };
          assert.deepEqual(problems(schema, { x: null }, compiler), [{ path: '$.x', message: `must be ${type}` }]);
        }
      }
    });
  }

  test('with the same anchor', () => {
    const compiler = new SchemaCompiler();
    for (const type of ['string', 'number']) {
      const schema = { properties: { x: { $ref: '#part' } }, $defs: { part: { $anchor: 'part', type } } };
      assert.deepEqual(problems(schema, { x: null }, compiler), [{ path: '$.x', message: `must be ${type}` }]);
    }
  });

  test('from the meta-schema, whose $id they may have', () => {
    const compiler = new SchemaCompiler();
    assert.ok(fits({ $id: draft2020, type: 'object' }, {}, compiler));
    assert.ok(!compiler.compile({ type: 'nonsense' }).ok);
  });

  test('and compiled once for equal schemas', () => {
    const compiler = new SchemaCompiler();
    assert.equal(compiler.compile({ type: 'object' }), compiler.compile({ type: 'object' }));
    assert.notEqual(compiler.compile({ type: 'object' }), compiler.compile({ type: 'array' }));
  });
});

describe('validation', () => {
  test('accepts exactly the values that match the schema', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 0 } },
      required: ['n'],
      additionalProperties: false,
    };
    const compiled = new SchemaCompiler().compile(schema);
    assert.ok(compiled.ok);
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), (value, n) => {
        assert.equal(compiled.validate({ n }) === undefined, n >= 0);
        const hasOnlyN =
          typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).join() === 'n';
        if (!hasOnlyN) assert.notEqual(compiled.validate(value), undefined);
      }),
    );
  });

  test('does not change the value: no defaults, coercion or removal', () => {
    const schema = { properties: { a: { type: 'string', default: 'x' } }, additionalProperties: true };
    const value = { b: '1' };
    assert.ok(fits(schema, value));
    assert.deepEqual(value, { b: '1' });
    assert.ok(!fits({ properties: { b: { type: 'number' } } }, value));
  });

  test('supports recursive schemas with and without $id', () => {
    for (const base of [{}, { $id: 'tree' }, { $schema: draft07 }]) {
      const tree = {
        ...base,
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      };
      assert.ok(fits(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }));
      assert.deepEqual(problems(tree, { children: [{}, { children: [{ name: 1 }] }] }), [
        { path: '$.children[1].children[0].name', message: 'must be string' },
      ]);
    }
  });

  test('checks formats, and ignores unknown formats and keywords', () => {
    assert.deepEqual(problems({ format: 'email' }, 'nobody'), [{ path: '$', message: 'must match format "email"' }]);
    for (const [format, good, bad] of [
      ['date-time', '2026-11-15T10:00:00Z', 'today'],
      ['uri', 'https://example.com', ':'],
      ['uuid', '00000000-0000-4000-8000-000000000000', '1'],
    ] as const) {
      for (const $schema of [draft07, draft2020]) {
        assert.ok(fits({ $schema, format }, good));
        assert.ok(!fits({ $schema, format }, bad));
      }
    }
    assert.ok(fits({ type: 'string', format: 'colour', 'x-widget': 'picker', example: 1 }, 'red'));
  });

  test('supports boolean schemas', () => {
    assert.ok(fits(true, 1));
    assert.ok(!fits(false, 1));
  });
});

describe('validation problems', () => {
  test('have a path and a message', () => {
    const schema = {
      type: 'object',
      properties: {
        items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number', minimum: 0 } } } },
        'odd/key~ here': { type: 'string' },
        colour: { enum: ['red', 'green'] },
        version: { const: 2 },
      },
      required: ['name'],
      additionalProperties: false,
    };
    assert.deepEqual(
      problems(schema, {
        items: [{}, { price: 'free' }, { price: -1 }],
        'odd/key~ here': 1,
        colour: 'blue',
        version: 1,
        extra: 1,
      }),
      [
        { path: '$', message: '"name" is missing' },
        { path: '$', message: '"extra" is not known' },
        { path: '$.items[1].price', message: 'must be number' },
        { path: '$.items[2].price', message: 'must be >= 0' },
        { path: '$["odd/key~ here"]', message: 'must be string' },
        { path: '$.colour', message: 'must be one of ["red","green"]' },
        { path: '$.version', message: 'must be 2' },
      ],
    );
  });

  test('are at most ten, followed by the number of the others', () => {
    const schema = { items: { type: 'number' } };
    assert.equal(problems(schema, Array.from({ length: 10 }, String))?.length, 10);
    const found = problems(schema, Array.from({ length: 25 }, String)) ?? [];
    assert.equal(found.length, 11);
    assert.deepEqual(found.at(-1), { path: '$', message: 'and 15 more problems' });
  });

  test('of a very large value end with the first', () => {
    const found = problems(
      { items: { type: 'number' } },
      Array.from({ length: 1_000_000 }, () => 'x'),
    );
    assert.deepEqual(found, [{ path: '$[0]', message: 'must be number' }]);
  });

  test('are short for huge enums, constants and keys', () => {
    const values = Array.from({ length: 100_000 }, (_, index) => `value ${index}`);
    assert.match(
      problems({ enum: values }, 'x')?.[0]?.message ?? '',
      /^must be one of \["value 0",.*"value 19"\] and 99980 more$/,
    );
    for (const [schema, value] of [
      [{ const: 'x'.repeat(100_000) }, 1],
      [{ enum: ['x'.repeat(100_000)] }, 1],
      [{ additionalProperties: false }, { ['k'.repeat(50_000)]: 1 }],
      [{ additionalProperties: { type: 'string' } }, { ['k'.repeat(50_000)]: 1 }],
    ] as const) {
      const [problem] = problems(schema, value) ?? [];
      assert.ok(
        problem !== undefined && problem.message.length <= 501 && problem.path.length <= 201,
        JSON.stringify(schema).slice(0, 50),
      );
    }
  });
});

describe('a hostile schema', () => {
  const assertTimesOut = (schema: JsonSchema, value: unknown): void => {
    const compiled = new SchemaCompiler().compile(schema);
    assert.ok(compiled.ok);
    // Without the time limit, this would not terminate.
    const found = compiled.validate(value);
    assert.match(found?.[0]?.message ?? '', /^could not be checked against the schema: /);
  };

  test('with backtracking patterns is checked completely, in linear time', () => {
    const assertChecked = (schema: JsonSchema, value: unknown): void =>
      assert.match(problems(schema, value)?.[0]?.message ?? '', /must match pattern|is not known/);
    assertChecked({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(6000)}!` });
    assertChecked(
      { patternProperties: { '^(a|a)*$': {} }, additionalProperties: false },
      { [`${'a'.repeat(60)}!`]: 1 },
    );
    assertChecked({ properties: { a: { pattern: `^${'(a|a)'.repeat(31)}Z$` } } }, { a: 'a'.repeat(40) });
    assertChecked({ properties: { a: { pattern: `^${'a?'.repeat(34)}Z$` } } }, { a: 'a'.repeat(17) });
  });

  test('with exponentially branching references times out', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let level = 0; level < 40; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    assertTimesOut({ $ref: '#/$defs/d0', $defs }, 'x');
  });

  test('with a reference to itself times out', () => {
    assertTimesOut({ $ref: '#' }, 'x');
  });

  test('with unique items, which are compared pairwise, times out', () => {
    assertTimesOut(
      { uniqueItems: true },
      Array.from({ length: 100_000 }, (_, index) => ({ index })),
    );
  });

  test('that timed out is checked correctly the next time', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let level = 0; level < 40; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    const properties = { a: { if: { const: 'fast' }, else: { $ref: '#/$defs/d0' } } };
    const compiled = new SchemaCompiler().compile({ properties, $defs });
    assert.ok(compiled.ok);
    assert.match(compiled.validate({ a: 'slow' })?.[0]?.message ?? '', /timed out/);
    // A busy machine may take longer than the limit even for this.
    assert.ok(Array.from({ length: 20 }, () => compiled.validate({ a: 'fast' })).includes(undefined));
  });
});
