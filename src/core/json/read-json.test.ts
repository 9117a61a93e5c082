import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonRejectedError, readJson, readLargeJson } from './read-json.ts';

function rejectionOf(text: string): JsonRejectedError {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof JsonRejectedError) return error;
    throw error;
  }
  return assert.fail(`this was accepted: ${text.slice(0, 100)}`);
}

describe('readJson of untrusted text', () => {
  test('returns the same value as JSON.parse, with any strings and keys', () => {
    const property = fc.property(fc.json({ stringUnit: 'binary' }), fc.nat(4), (text, indent) => {
      const written = JSON.stringify(JSON.parse(text), undefined, indent);
      assert.deepEqual(readJson(written), JSON.parse(written));
    });
    fc.assert(property, { seed: 7, numRuns: 2000 });
    assert.deepEqual(
      readJson('{"__proto__":{"a":1},"a":{"a":"{\\"a\\":1,\\"a\\":2}"}}'),
      JSON.parse('{"__proto__":{"a":1},"a":{"a":"{\\"a\\":1,\\"a\\":2}"}}'),
    );
  });

  test('returns the same value as JSON.parse for long strings with escapes anywhere', async () => {
    const piece = fc.oneof(
      fc.constantFrom('"', '\\', '\\"', '\\\\', '\n', '{"a":1,"a":2}', '\u{1F600}', '\u2028'),
      fc.nat(70).map((length) => 'x'.repeat(length)),
      fc.nat(70).map((length) => '\\'.repeat(length)),
    );
    const texts = fc.array(fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')));
    const property = fc.property(texts, (values) => {
      const written = JSON.stringify(values.map((value) => ({ [value]: value })));
      assert.deepEqual(readJson(written), JSON.parse(written));
    });
    fc.assert(property, { seed: 7, numRuns: 2000 });
    const long = JSON.stringify({ a: '\\"x'.repeat(300_000), b: [1] });
    assert.deepEqual(await readLargeJson(long), JSON.parse(long));
    await assert.rejects(readLargeJson(long.replace('"b"', '"a"')), { kind: 'repeated-key' });
  });

  test('rejects a repeated key at any depth and with any escapes', () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"b":[{"a":{}},{"c":{"a":1,"x":[],"a":2}}]}',
      '{"a":1,"\\u0061":2}',
      '{"__proto__":1,"__proto__":2}',
      '{"":1,"":2}',
    ])
      assert.equal(rejectionOf(text).kind, 'repeated-key', text);
  });

  test('rejects text that is nested too deeply or has too many values or keys before it is parsed', () => {
    assert.doesNotThrow(() => readJson('['.repeat(256) + ']'.repeat(256)));
    for (const text of [
      '['.repeat(257),
      '{"a":'.repeat(257),
      `[${'1,'.repeat(50_000)}1]`,
      `[${'[],'.repeat(30_000)}1]`,
    ])
      assert.equal(rejectionOf(text).kind, 'too-complex');
    const keys = Array.from({ length: 20_001 }, (_, at) => `"${at}":1`);
    assert.equal(rejectionOf(`{${keys.join()}}`).kind, 'too-complex');
    assert.doesNotThrow(() => readJson(`{${keys.slice(1).join()}}`));
  });
});
