import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './redactor.ts';
import type { Redactor } from './redactor.ts';
import { secretEncodings } from './secret-encodings.ts';

function redactorOf(secrets: Readonly<Record<string, string>>): Redactor {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(secrets)) redactor.add(name, value);
  return redactor;
}

function json(redactor: Redactor, value: unknown): unknown {
  return JSON.parse(redactor.json(JSON.stringify(value)));
}

describe('Redactor with registered values', () => {
  const redactor = redactorOf({
    KEY: 'correct-horse',
    PIN: '123456',
    ODD: 'a"b\\c\nd é→',
    LONG: 'correct-horse-battery',
  });

  test('replaces a value by its name: alone, in text, as a key, in an array', () => {
    assert.deepEqual(json(redactor, { a: 'correct-horse', b: ['x correct-horse y'], 'correct-horse': { c: 1 } }), {
      a: '[redacted:KEY]',
      b: ['x [redacted:KEY] y'],
      '[redacted:KEY]': { c: 1 },
    });
    assert.equal(redactor.text('failed for correct-horse!'), 'failed for [redacted:KEY]!');
    assert.equal(redactor.values('failed for correct-horse!'), 'failed for [redacted:KEY]!');
  });

  test('replaces a number that contains a value by a string', () => {
    assert.deepEqual(json(redactor, { pin: 123456, more: -1234567.5, less: 12345 }), {
      pin: '[redacted:PIN]',
      more: '[redacted:PIN]',
      less: 12345,
    });
  });

  test('replaces a literal that equals a value by a string', () => {
    assert.equal(
      redactorOf({ A: 'true', B: 'null' }).json('{"a":true,"b":null,"c":false}'),
      '{"a":"[redacted:A]","b":"[redacted:B]","c":false}',
    );
  });

  test('finds an escaped value at any depth of nested JSON', () => {
    const once = { a: 'is a"b\\c\nd é→' };
    const twice = { b: JSON.stringify(once) };
    const thrice = { c: `see ${JSON.stringify(twice)}` };
    assert.deepEqual(json(redactor, once), { a: 'is [redacted:ODD]' });
    assert.deepEqual(json(redactor, twice), { b: '{"a":"is [redacted:ODD]"}' });
    assert.deepEqual(json(redactor, thrice), { c: String.raw`see {"b":"{\"a\":\"is [redacted:ODD]\"}"}` });
    assert.equal(redactor.text(JSON.stringify(twice)), String.raw`{"b":"{\"a\":\"is [redacted:ODD]\"}"}`);
    assert.equal(redactor.text(String.raw`{"a": "a\"b\\c\nd \u00e9\u2192"}`), '{"a": "[redacted:ODD]"}');
  });

  test('finds a base64-encoded value at any offset', () => {
    for (const prefix of ['', 'u', 'us', 'use', 'user:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${prefix}a"b\\c\nd é→?tail`).toString(encoding);
        assert.match(redactor.text(`x ${encoded}`), /^x .*\[redacted:ODD\].*$/, prefix + encoding);
        assert.match(redactor.json(JSON.stringify([encoded])), /\[redacted:ODD\]/);
      }
    }
  });

  test('finds a percent-encoded or hex-encoded value', () => {
    const value = 'a"b\\c\nd é→';
    const encoded = encodeURIComponent(value);
    for (const form of [
      encoded,
      encoded.replace(/%../g, (triplet) => triplet.toLowerCase()),
      encoded.replace('%20', '+'),
    ]) {
      assert.equal(redactor.text(`?q=${form}&r`), '?q=[redacted:ODD]&r');
    }
    const hex = Buffer.from('correct-horse').toString('hex');
    assert.equal(redactor.text(hex), '[redacted:KEY]');
    assert.equal(redactor.text(hex.toUpperCase()), '[redacted:KEY]');
  });

  test('uses the name of the longest of overlapping values, and leaves no part of them', () => {
    assert.equal(redactor.text('correct-horse-battery correct-horse-bat'), '[redacted:LONG] [redacted:KEY]-bat');
    assert.equal(redactorOf({ A: 'abcdef', B: 'defghijk' }).text('abcdefghijk'), '[redacted:B]');
  });

  test('is case-sensitive', () => assert.equal(redactor.text('Correct-Horse'), 'Correct-Horse'));

  test('preserves numbers, order and spaces of all other text', () => {
    const text = '{"2":1.0e5, "1": 98765432109876543210,"k":"correct-horse", "__proto__": {"a":-0}}';
    assert.equal(redactor.json(text), text.replace('correct-horse', '[redacted:KEY]'));
  });

  test('values() ignores patterns and key names, and returns valid JSON', () => {
    const token = `ghp_${'a'.repeat(36)}`;
    assert.equal(redactor.values(token), token);
    assert.equal(redactor.values('{"password":"x","pin":123456}'), '{"password":"x","pin":"[redacted:PIN]"}');
    assert.equal(redactor.values('your pin is 123456'), 'your pin is [redacted:PIN]');
  });

  test('json() converts text that is not JSON to a JSON string', () => {
    assert.equal(redactor.json('{"a": correct-horse'), JSON.stringify('{"a": [redacted:KEY]'));
  });

  test('rejects a value that is too short or not well-formed, without revealing it', () => {
    assert.throws(
      () => createRedactor().add('SHORT', 'abc'),
      (error) =>
        error instanceof Error && /"SHORT" is shorter than 4/.test(error.message) && !error.message.includes('abc'),
    );
    assert.throws(() => createRedactor().add('ODD', 'abc\ud800'), /"ODD" is not well-formed/);
  });
});

describe('Redactor output contains no registered value', () => {
  test('because a placeholder that contains a value is replaced', () => {
    assert.equal(redactorOf({ A: 'redacted' }).text('was redacted'), 'was [●●●●]');
    assert.equal(redactorOf({ 'my hunter2': 'xyzw1', B: 'hunter2' }).text('xyzw1'), '[●●●●]');
    assert.equal(redactorOf({ A: 'abc[red', B: 'wxyz' }).text('abcwxyz'), 'abc[●●●●]');
    assert.equal(redactorOf({ A: 'redacted', B: '●●●●' }).text('was redacted'), 'was ');
    assert.equal(redactorOf({ A: 'redacted' }).json('{"password":"x"}'), '{"password":"[●●●●]"}');
  });

  test('because a document whose punctuation contains a value is discarded', () => {
    assert.equal(redactorOf({ A: '":["' }).json('{"a":["b"]}'), '"[●●●●]"');
    assert.equal(redactorOf({ A: '":["', B: '●●●●' }).json('{"a":["b"]}'), '""');
    assert.equal(
      redactorOf({ A: String.raw`\n12` }).json(JSON.stringify({ a: 'x\n12', b: 1 })),
      '{"a":"[●●●●]","b":1}',
    );
  });

  const alphabets = [
    fc.constantFrom('a', 'b', '1', '2', '.', '-', 'e'),
    fc.constantFrom('[', 'r', 'e', 'd', 'a', 'c', 't', ':', ']', '●', 'A'),
    fc.constantFrom('"', '\\', '\n', 'n', 'u', '0', '{', '}', '[', ']', ':', ',', '1'),
    fc.constantFrom('é', '→', '😀', ' ', '/', '+', '%', 'a'),
  ];
  const secret = fc
    .oneof(
      ...alphabets.map((unit) => fc.string({ unit, minLength: 4, maxLength: 14 })),
      fc.constantFrom('redacted', '[redacted]', '[redacted:', '●●●●', '[●●●●]', 'null', 'true', '":"', '"a":'),
    )
    .filter((value) => value.length >= 4 && value.isWellFormed());
  const secrets = fc.array(fc.tuple(fc.oneof(secret, fc.constant('NAME')), secret), { minLength: 1, maxLength: 5 });

  /** Texts that contain the secrets in every encoding, mixed with other text. */
  function texts(values: readonly string[]): fc.Arbitrary<string> {
    const part = fc.oneof(
      fc.constantFrom(...values.flatMap(secretEncodings)),
      fc.constantFrom(...values),
      ...alphabets,
    );
    return fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  }

  function documents(values: readonly string[]): fc.Arbitrary<unknown> {
    const { document } = fc.letrec((tie) => ({
      document: fc.oneof(
        { maxDepth: 3 },
        texts(values),
        fc.constantFrom(1, -20.5, 12_345_678, 1e21, true, null),
        fc.constantFrom(...values).map((value) => (Number.isFinite(Number(value)) ? Number(value) : value)),
        fc.array(tie('document'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(texts(values), fc.constant('password')), tie('document'), { maxKeys: 4 }),
        tie('document').map((inner) => JSON.stringify(inner)),
      ),
    }));
    return document;
  }

  function assertNoneIn(values: readonly string[], text: string): void {
    for (const form of values.flatMap(secretEncodings)) assert.ok(!text.includes(form), `${form} is in ${text}`);
  }

  test('in any plain text', () => {
    fc.assert(
      fc.property(
        secrets.chain((named) => fc.tuple(fc.constant(named), texts(named.map(([, value]) => value)))),
        ([named, text]) => {
          const redactor = createRedactor();
          for (const [name, value] of named) redactor.add(name, value);
          const values = named.map(([, value]) => value);
          assertNoneIn(values, redactor.text(text));
          assertNoneIn(values, redactor.values(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('in any JSON, which stays valid, and in its decoded strings', () => {
    fc.assert(
      fc.property(
        secrets.chain((named) => fc.tuple(fc.constant(named), documents(named.map(([, value]) => value)))),
        ([named, document]) => {
          const redactor = createRedactor();
          for (const [name, value] of named) redactor.add(name, value);
          const values = named.map(([, value]) => value);
          for (const output of [redactor.json(JSON.stringify(document)), redactor.values(JSON.stringify([document]))]) {
            assertNoneIn(values, output);
            JSON.parse(output, (key, value: unknown) => {
              const decoded = typeof value === 'string' ? [key, value] : [key];
              assert.ok(!values.some((one) => decoded.some((text) => text.includes(one))), JSON.stringify(decoded));
              return value;
            });
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('and equals a document without secrets', () => {
    const redactor = redactorOf({ A: 'correct-horse', B: '4711-0815' });
    fc.assert(
      fc.property(fc.json(), (text) => assert.equal(redactor.json(text), text)),
      { numRuns: 1000 },
    );
  });
});
