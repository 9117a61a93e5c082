import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { inspectJson, jsonPath } from './json.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

class Account {
  readonly owner = 'me';
}

describe('inspectJson of JSON', () => {
  test('accepts every JSON value and reports its size within a factor of ten', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const inspection = inspectJson(value);
        assert.ok(inspection.ok, JSON.stringify(inspection));
        const { length } = JSON.stringify(value);
        assert.ok(
          inspection.size <= 10 * length && length <= 10 * inspection.size,
          `${inspection.size} reported for ${length}`,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('accepts only values that JSON preserves', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        if (!inspectJson(value).ok) return;
        const again: unknown = JSON.parse(JSON.stringify(value));
        // Compared as text, because JSON does not distinguish -0 from 0, prototypes, and undefined properties.
        assert.equal(JSON.stringify(again), JSON.stringify(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('inspects own "__proto__" keys of parsed JSON like any other key', () => {
    assert.ok(inspectJson(JSON.parse('{"__proto__":{"a":1},"constructor":null,"toJSON":"text"}')).ok);
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}');
    const inner = Object.getOwnPropertyDescriptor(value, '__proto__')?.value as Record<string, unknown>;
    inner['a'] = 1n;
    assert.deepEqual(inspectJson(value), {
      ok: false,
      path: '$.__proto__.a',
      problem: 'bigint has no form in JSON',
      tooLarge: false,
    });
  });

  test('accepts objects without a prototype and ignores undefined properties', () => {
    const bare = Object.assign(Object.create(null) as Record<string, unknown>, { a: 1, b: undefined });
    assert.deepEqual(inspectJson(bare), inspectJson({ a: 1 }));
  });

  test('accepts a huge array', () => {
    assert.deepEqual(inspectJson(Array.from({ length: 1_000_000 }, () => true)), { ok: true, size: 6_000_002 });
  });
});

describe('inspectJson reports the path and the reason for', () => {
  const cases: readonly [string, unknown, string, RegExp][] = [
    ['undefined alone', undefined, '$', /^undefined has no form/],
    ['undefined in an array', { a: [1, undefined] }, '$.a[1]', /^undefined has no form/],
    ['a hole in a sparse array', { a: [1, , 2] }, '$.a[1]', /^undefined has no form/], // eslint-disable-line no-sparse-arrays
    ['a function', { a: { run: () => 1 } }, '$.a.run', /^function has no form/],
    ['a symbol', [Symbol('s')], '$[0]', /^symbol has no form/],
    ['a BigInt', { a: [{ b: 1n }] }, '$.a[0].b', /^bigint has no form/],
    ['NaN', { 'odd key': Number.NaN }, '$["odd key"]', /^NaN is not a JSON number/],
    ['Infinity', { ü: -Infinity }, '$.ü', /^-Infinity is not a JSON number/],
    ['a Map', { a: new Map() }, '$.a', /^a Map is not a plain object/],
    ['a Set', [[new Set()]], '$[0][0]', /^a Set is not a plain object/],
    ['a Date', { at: new Date(0) }, '$.at', /^a Date is not a plain object/],
    ['a Buffer', { data: Buffer.from('x') }, '$.data', /^a Buffer is not a plain object/],
    ['an Error', new Error('x'), '$', /^a Error is not a plain object/],
    ['a class instance', [new Account()], '$[0]', /^a Account is not a plain object/],
    [
      'an instance of a nameless class',
      Object.create(Object.create(null) as object),
      '$',
      /^an object with a prototype/,
    ],
    ['an object with toJSON', { a: { toJSON: () => 1 } }, '$.a', /toJSON/],
    ['a hidden toJSON', Object.defineProperty({ b: 1 }, 'toJSON', { value: () => 'other' }), '$', /toJSON/],
    ['an array with toJSON', { a: Object.assign([1], { toJSON: () => 2 }) }, '$.a', /toJSON/],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', { enumerable: true, get: () => assert.fail('no') }),
      '$.a',
      /^reading it threw: no$/,
    ],
  ];
  for (const [name, value, path, problem] of cases) {
    test(name, () => {
      const inspection = inspectJson(value);
      assert.ok(!inspection.ok, 'it was accepted as JSON');
      assert.equal(inspection.path, path);
      assert.match(inspection.problem, problem);
    });
  }

  test('a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const inspection = inspectJson({ a: proxy });
    assert.ok(!inspection.ok);
    assert.equal(inspection.path, '$.a');
  });

  test('a cycle', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { back: [cycle] };
    const inspection = inspectJson(cycle);
    assert.ok(!inspection.ok);
    assert.match(inspection.problem, /cycle/);
    assert.match(inspection.path, /^\$\.self\.back\[0\]\.self\.back\[0\].*….*\.self\.back\[0\]\.self$/);
  });

  test('nesting deeper than 256 levels, and accepts 256 levels', () => {
    assert.ok(inspectJson(nested(256)).ok);
    for (const levels of [257, 100_000]) {
      const inspection = inspectJson(nested(levels));
      assert.ok(!inspection.ok);
      assert.match(inspection.problem, /deeper than 256 levels/);
    }
  });

  test('a very long path, shortened in the middle', () => {
    const inspection = inspectJson({ first: { ['k'.repeat(10_000)]: { last: 1n } } });
    assert.ok(!inspection.ok);
    assert.equal(inspection.path.length, 201);
    assert.match(inspection.path, /^\$\.first\.k+…k+\.last$/);
  });
});

describe('the size limit of inspectJson', () => {
  const limit = 1000;
  const assertTooLarge = (value: unknown): void => {
    const inspection = inspectJson(value, limit);
    assert.ok(!inspection.ok, 'it was accepted');
    assert.equal(inspection.problem, 'more data than the limit allows');
  };

  /** Creates a list of any length that counts the reads of its items. */
  function countingList(length: number, item: unknown): { list: unknown; reads: () => number } {
    let reads = 0;
    const list = new Proxy([] as unknown[], {
      get(target, key, receiver): unknown {
        if (key === 'length') return length;
        if (typeof key === 'symbol' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
        reads += 1;
        return item;
      },
    });
    return { list, reads: () => reads };
  }

  for (const [name, item, maxReads] of [
    ['numbers', 1, 120],
    ['booleans', true, 170],
    ['nulls', null, 210],
    ['empty strings', '', 340],
    ['empty lists', [], 340],
    ['empty objects', {}, 340],
    ['strings of a kilobyte', 'x'.repeat(1024), 1],
    ['records', { a: { b: 1 } }, 60],
  ] as const) {
    test(`stops after the first of 200 million ${name}`, () => {
      const { list, reads } = countingList(200_000_000, item);
      assertTooLarge({ list });
      assert.ok(reads() <= maxReads, `${reads()} items were read`);
    });
  }

  test('stops after the first properties of a large object', () => {
    let reads = 0;
    const value: Record<string, unknown> = {};
    for (let index = 0; index < 10_000; index++) {
      Object.defineProperty(value, `key${index}`, {
        enumerable: true,
        get: () => {
          reads += 1;
          return 1;
        },
      });
    }
    assertTooLarge(value);
    assert.ok(reads < 100, `${reads} properties were read`);
  });

  test('stops at a part that is shared in very many places', () => {
    let visits = 0;
    let value: object = Object.defineProperty({}, 'leaf', {
      enumerable: true,
      get: () => {
        visits += 1;
        return 1;
      },
    });
    for (let level = 0; level < 200; level++) value = { left: value, right: value };
    assertTooLarge(value);
    assert.ok(visits <= limit, `the same leaf was read ${visits} times`);
  });

  test('accepts a value that just fits', () => {
    assert.ok(inspectJson('x'.repeat(1000), limit).ok);
    assert.ok(!inspectJson('x'.repeat(1001), limit).ok);
    assert.ok(
      inspectJson(
        Array.from({ length: 110 }, () => 1),
        limit,
      ).ok,
    );
  });
});

describe('jsonPath', () => {
  test('renders a path like JavaScript code', () => {
    assert.equal(jsonPath([]), '$');
    assert.equal(jsonPath(['items', 2, 'price']), '$.items[2].price');
    assert.equal(jsonPath(['größe', '$ref', 'data-id', '_x']), '$.größe.$ref.data-id._x');
  });

  test('quotes keys that would be ambiguous', () => {
    assert.equal(jsonPath(['a.b', '', '7', 'say "hi"\n']), String.raw`$["a.b"][""]["7"]["say \"hi\"\n"]`);
    assert.equal(jsonPath([Symbol('tag')]), '$["Symbol(tag)"]');
  });

  test('shortens a very long path in the middle', () => {
    const path = jsonPath(Array.from({ length: 1000 }, (_, index) => index));
    assert.equal(path.length, 201);
    assert.ok(path.startsWith('$[0][1][2]') && path.endsWith('[998][999]'));
  });
});
