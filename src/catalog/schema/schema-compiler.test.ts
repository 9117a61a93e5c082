import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from '../../core/json/json.ts';
import { SchemaCompiler } from './schema-compiler.ts';
import type { ArgumentProblem } from '../source/source.ts';

function problems(schema: JsonSchema, value: unknown, compiler = new SchemaCompiler()): ArgumentProblem[] | undefined {
  const compiled = compiler.compile(schema);
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.reason);
  return compiled.validate(value);
}

function fits(schema: JsonSchema, value: unknown, compiler?: SchemaCompiler): boolean {
  return problems(schema, value, compiler) === undefined;
}

function reason(schema: JsonSchema): string {
  const compiled = new SchemaCompiler().compile(schema);
  assert.ok(!compiled.ok, 'it compiled');
  return compiled.reason;
}

const draft07 = 'http://json-schema.org/draft-07/schema#';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

describe('drafts', () => {
  test('2020-12, said or unsaid: prefixItems, dependentRequired, unevaluatedProperties', () => {
    for (const said of [{}, { $schema: draft2020 }]) {
      const compiler = new SchemaCompiler();
      const pair = { ...said, prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
      assert.ok(fits(pair, ['a', 1], compiler));
      assert.ok(!fits(pair, [1, 'a'], compiler));
      assert.ok(!fits(pair, ['a', 1, 2], compiler));
      assert.ok(!fits({ ...said, dependentRequired: { a: ['b'] } }, { a: 1 }, compiler));
      assert.ok(
        !fits({ ...said, allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { b: 1 }, compiler),
      );
    }
  });

  test('draft-07, with http or https, with or without "#": items as a list, dependencies', () => {
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
      assert.ok(
        fits({ $schema, prefixItems: [{ type: 'string' }] }, [1], compiler),
        'prefixItems means nothing in draft-07',
      );
    }
  });

  test('both drafts side by side in one compiler', () => {
    const compiler = new SchemaCompiler();
    assert.ok(!fits({ $schema: draft07, items: [{ type: 'string' }] }, [1], compiler));
    assert.ok(!fits({ $schema: draft2020, prefixItems: [{ type: 'string' }] }, [1], compiler));
    assert.ok(!fits({ $schema: draft07, items: [{ type: 'number' }] }, ['a'], compiler));
  });
});

describe('a schema that does not compile gives the reason', () => {
  for (const [name, schema, expected] of [
    ['an unknown type', { type: 'strin' }, /schema is invalid: data\/type must be equal to one of the allowed values/],
    [
      'items as a list beside a keyword of 2020-12',
      { items: [{ type: 'string' }], prefixItems: [true] },
      /schema is invalid: data\/items must be object,boolean/,
    ],
    ['a pattern that is no regular expression', { pattern: '(' }, /Unterminated group/],
    ['a reference to nothing', { $ref: '#/$defs/gone' }, /can't resolve reference #\/\$defs\/gone/],
    [
      'a reference to elsewhere, which is not fetched',
      { $ref: 'https://example.com/schema.json' },
      /can't resolve reference https:\/\/example\.com\/schema\.json/,
    ],
    ['an asynchronous schema', { $async: true, type: 'object' }, /\$async/],
    [
      'an asynchronous part',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $async: true, type: 'string' } } },
      /async/,
    ],
    ['a BigInt in it', { minimum: 1n }, /BigInt/],
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

  test('an asynchronous schema leaves no rejection behind', async () => {
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

describe('schemas of different tools do not touch each other', () => {
  for (const $schema of [draft2020, draft07]) {
    test(`the same $id twice with different content, ${$schema}`, () => {
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

    test(`parts with the same $id in different places, ${$schema}`, () => {
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

  test('the same anchor in each', () => {
    const compiler = new SchemaCompiler();
    for (const type of ['string', 'number']) {
      const schema = { properties: { x: { $ref: '#part' } }, $defs: { part: { $anchor: 'part', type } } };
      assert.deepEqual(problems(schema, { x: null }, compiler), [{ path: '$.x', message: `must be ${type}` }]);
    }
  });

  test('none can take the place of the meta-schema', () => {
    const compiler = new SchemaCompiler();
    assert.ok(fits({ $id: draft2020, type: 'object' }, {}, compiler));
    assert.ok(!compiler.compile({ type: 'nonsense' }).ok);
  });

  test('the same schema is compiled once, whatever object carries it', () => {
    const compiler = new SchemaCompiler();
    assert.equal(compiler.compile({ type: 'object' }), compiler.compile({ type: 'object' }));
    assert.notEqual(compiler.compile({ type: 'object' }), compiler.compile({ type: 'array' }));
  });
});

describe('checking', () => {
  test('accepts exactly what the schema describes', () => {
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
        const isIt =
          typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).join() === 'n';
        if (!isIt) assert.notEqual(compiled.validate(value), undefined);
      }),
    );
  });

  test('does not change the value: no defaults, no coercion, nothing removed', () => {
    const schema = { properties: { a: { type: 'string', default: 'x' } }, additionalProperties: true };
    const value = { b: '1' };
    assert.ok(fits(schema, value));
    assert.deepEqual(value, { b: '1' });
    assert.ok(!fits({ properties: { b: { type: 'number' } } }, value));
  });

  test('recursive schemas work, with and without $id', () => {
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

  test('formats are checked; unknown formats and unknown keywords are let be', () => {
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

  test('boolean schemas', () => {
    assert.ok(fits(true, 1));
    assert.ok(!fits(false, 1));
  });
});

describe('problems', () => {
  test('say what is wrong and where', () => {
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

  test('are ten at most, and say how many more there are', () => {
    const schema = { items: { type: 'number' } };
    assert.equal(problems(schema, Array.from({ length: 10 }, String))?.length, 10);
    const found = problems(schema, Array.from({ length: 25 }, String)) ?? [];
    assert.equal(found.length, 11);
    assert.deepEqual(found.at(-1), { path: '$', message: 'and 15 more problems' });
  });

  test('of a very large value are not collected by the million', () => {
    const found = problems(
      { items: { type: 'number' } },
      Array.from({ length: 1_000_000 }, () => 'x'),
    );
    assert.deepEqual(found, [{ path: '$[0]', message: 'must be number' }]);
  });

  test('stay short: huge enums, huge constants, huge keys', () => {
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

describe('hostile schemas cannot stop the process', () => {
  const cutShort = (schema: JsonSchema, value: unknown): void => {
    const compiled = new SchemaCompiler().compile(schema);
    assert.ok(compiled.ok);
    // Without its limit this would not end.
    const found = compiled.validate(value);
    assert.match(found?.[0]?.message ?? '', /^could not be checked against the schema: /);
  };

  test('patterns are checked to the end: they take linear time', () => {
    const checked = (schema: JsonSchema, value: unknown): void =>
      assert.match(problems(schema, value)?.[0]?.message ?? '', /must match pattern|is not known/);
    checked({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(6000)}!` });
    checked({ patternProperties: { '^(a|a)*$': {} }, additionalProperties: false }, { [`${'a'.repeat(60)}!`]: 1 });
    checked({ properties: { a: { pattern: `^${'(a|a)'.repeat(31)}Z$` } } }, { a: 'a'.repeat(40) });
    checked({ properties: { a: { pattern: `^${'a?'.repeat(34)}Z$` } } }, { a: 'a'.repeat(17) });
  });

  test('references that branch without end', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let level = 0; level < 40; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    cutShort({ $ref: '#/$defs/d0', $defs }, 'x');
  });

  test('a reference to itself', () => {
    cutShort({ $ref: '#' }, 'x');
  });

  test('unique items, which are compared pairwise', () => {
    cutShort(
      { uniqueItems: true },
      Array.from({ length: 100_000 }, (_, index) => ({ index })),
    );
  });

  test('the next check of the same schema is right again', () => {
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
