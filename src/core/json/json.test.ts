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

describe('what is JSON', () => {
  test('every JSON value is, and its size is told within a factor of ten', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const inspection = inspectJson(value);
        assert.ok(inspection.ok, JSON.stringify(inspection));
        const { length } = JSON.stringify(value);
        assert.ok(
          inspection.size <= 10 * length && length <= 10 * inspection.size,
          `${inspection.size} told for ${length}`,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('what is JSON survives JSON unchanged', () => {
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
        // Equal but for what JSON cannot tell apart: -0 and 0, prototypes, and properties that are undefined.
        assert.equal(JSON.stringify(again), JSON.stringify(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('own "__proto__" keys of parsed JSON are looked into like any other', () => {
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

  test('objects without a prototype are, and properties that are undefined count as absent', () => {
    const bare = Object.assign(Object.create(null) as Record<string, unknown>, { a: 1, b: undefined });
    assert.deepEqual(inspectJson(bare), inspectJson({ a: 1 }));
  });

  test('a huge array is', () => {
    assert.deepEqual(inspectJson(Array.from({ length: 1_000_000 }, () => true)), { ok: true, size: 6_000_002 });
  });
});

describe('what is not JSON is told with its exact place', () => {
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
      assert.ok(!inspection.ok, 'it passed for JSON');
      assert.equal(inspection.path, path);
      assert.match(inspection.problem, problem);
    });
  }

  test('a proxy that was revoked', () => {
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

  test('nesting of 256 levels is let through, of 257 and of 100,000 it is not', () => {
    assert.ok(inspectJson(nested(256)).ok);
    for (const levels of [257, 100_000]) {
      const inspection = inspectJson(nested(levels));
      assert.ok(!inspection.ok);
      assert.match(inspection.problem, /deeper than 256 levels/);
    }
  });

  test('a very long path loses its middle, not its ends', () => {
    const inspection = inspectJson({ first: { ['k'.repeat(10_000)]: { last: 1n } } });
    assert.ok(!inspection.ok);
    assert.equal(inspection.path.length, 201);
    assert.match(inspection.path, /^\$\.first\.k+…k+\.last$/);
  });
});

describe('the size limit ends the work', () => {
  const limit = 1000;
  const refused = (value: unknown): void => {
    const inspection = inspectJson(value, limit);
    assert.ok(!inspection.ok, 'it passed the limit');
    assert.equal(inspection.problem, 'more data than the limit allows');
  };

  /** A list as long as you like that counts how many of its items were looked at. */
  function watched(length: number, item: unknown): { list: unknown; reads: () => number } {
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

  for (const [name, item, most] of [
    ['numbers', 1, 120],
    ['booleans', true, 170],
    ['nulls', null, 210],
    ['empty strings', '', 340],
    ['empty lists', [], 340],
    ['empty objects', {}, 340],
    ['texts of a kilobyte', 'x'.repeat(1024), 1],
    ['records', { a: { b: 1 } }, 60],
  ] as const) {
    test(`of 200 million ${name} only the first are looked at`, () => {
      const { list, reads } = watched(200_000_000, item);
      refused({ list });
      assert.ok(reads() <= most, `${reads()} items were read`);
    });
  }

  test('of an object with many properties only the first are read', () => {
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
    refused(value);
    assert.ok(reads < 100, `${reads} properties were read`);
  });

  test('one part shared in very many places is not walked over and over', () => {
    let visits = 0;
    let value: object = Object.defineProperty({}, 'leaf', {
      enumerable: true,
      get: () => {
        visits += 1;
        return 1;
      },
    });
    for (let level = 0; level < 200; level++) value = { left: value, right: value };
    refused(value);
    assert.ok(visits <= limit, `the same leaf was read ${visits} times`);
  });

  test('what just fits is let through', () => {
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

describe('JSON paths', () => {
  test('a path reads as one would write it in code', () => {
    assert.equal(jsonPath([]), '$');
    assert.equal(jsonPath(['items', 2, 'price']), '$.items[2].price');
    assert.equal(jsonPath(['größe', '$ref', 'data-id', '_x']), '$.größe.$ref.data-id._x');
  });

  test('keys that would be misread are quoted', () => {
    assert.equal(jsonPath(['a.b', '', '7', 'say "hi"\n']), String.raw`$["a.b"][""]["7"]["say \"hi\"\n"]`);
    assert.equal(jsonPath([Symbol('tag')]), '$["Symbol(tag)"]');
  });

  test('a very long path is cut in the middle', () => {
    const path = jsonPath(Array.from({ length: 1000 }, (_, index) => index));
    assert.equal(path.length, 201);
    assert.ok(path.startsWith('$[0][1][2]') && path.endsWith('[998][999]'));
  });
});
