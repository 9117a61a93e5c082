import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject, JsonSchema } from '../../core/json/json.ts';
import { fillDefaultsOf } from './schema-defaults.ts';

function filled(schema: JsonSchema, args: JsonObject = {}): JsonObject {
  fillDefaultsOf(schema)?.(args);
  return args;
}

const size = {
  type: 'object',
  properties: { width: { type: 'number', default: 800 }, height: { type: 'number' } },
  required: ['width'],
};

describe('fillDefaultsOf', () => {
  test('fills in required arguments that are missing, and no others', () => {
    const schema = {
      type: 'object',
      properties: {
        type: { enum: ['png', 'jpeg'], default: 'png' },
        scale: { type: 'string', default: 'css' },
        quality: { type: 'number', default: 80 },
        name: { type: 'string' },
      },
      required: ['type', 'scale', 'name'],
    };
    assert.deepEqual(filled(schema, { scale: 'device' }), { scale: 'device', type: 'png' });
    assert.deepEqual(filled(schema, { scale: null, type: false }), { scale: null, type: false });
  });

  test('fills in nested objects and lists, through allOf and references, and within defaults', () => {
    const nested = { properties: { size, sizes: { type: 'array', items: size } } };
    assert.deepEqual(filled(nested, { size: {}, sizes: [{}, { width: 1 }] }), {
      size: { width: 800 },
      sizes: [{ width: 800 }, { width: 1 }],
    });
    assert.deepEqual(filled({ allOf: [size, { properties: { a: { default: 1 } }, required: ['a'] }] }), {
      width: 800,
      a: 1,
    });
    const referring = {
      $defs: { s: size, c: { default: 'x' } },
      properties: { s: { $ref: '#/$defs/s' }, c: { $ref: '#/$defs/c' } },
      required: ['c'],
    };
    assert.deepEqual(filled(referring, { s: {} }), { s: { width: 800 }, c: 'x' });
    assert.deepEqual(filled({ properties: { size: { ...size, default: {} } }, required: ['size'] }), {
      size: { width: 800 },
    });
  });

  test('decodes percent-encoding in a reference before the escapes of the pointer', () => {
    const schema = {
      properties: { x: { $ref: '#/$defs/a%7E1b' }, y: { $ref: '#/$defs/c~1d%20e' } },
      required: ['x', 'y'],
      $defs: { 'a/b': { default: 1 }, 'c/d e': { default: 2 } },
    };
    assert.deepEqual(filled(schema), { x: 1, y: 2 });
  });

  test('fills in nothing below anyOf, oneOf and if', () => {
    for (const keyword of ['anyOf', 'oneOf']) assert.equal(fillDefaultsOf({ [keyword]: [size] }), undefined);
    assert.equal(fillDefaultsOf({ if: {}, else: size }), undefined);
    assert.equal(fillDefaultsOf({ properties: { width: { default: 1 } } }), undefined, 'not required');
    assert.equal(fillDefaultsOf(true), undefined);
  });

  test('terminates for recursive and unresolvable references', () => {
    const node = { properties: { child: { $ref: '#', default: {} } }, required: ['child'] };
    assert.deepEqual(filled(node), { child: {} });
    for (const $ref of ['#/$defs/none', 'https://example.com/x', '#/%E0%A4%A'])
      assert.equal(fillDefaultsOf({ properties: { a: { $ref } }, required: ['a'] }), undefined);
    assert.equal(fillDefaultsOf({ $ref: '#' }), undefined);
  });

  test('copies the defaults, and supports property names such as __proto__', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"default":[1]},"list":{"default":[1]}},"required":["__proto__","list"]}',
    ) as JsonSchema;
    const first = filled(schema);
    assert.deepEqual(Object.keys(first), ['__proto__', 'list']);
    (first['list'] as number[]).push(2);
    assert.deepEqual(filled(schema)['list'], [1]);
  });
});
