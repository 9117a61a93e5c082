import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../core/json/json.ts';
import { checkedElicitation } from './client-answers.ts';

/** Checks an answer to a form. */
function answered(requestedSchema: JsonObject, content: JsonObject): unknown {
  return checkedElicitation({ mode: 'form', message: '', requestedSchema }, { action: 'accept', content });
}

const form = {
  type: 'object',
  properties: {
    age: { type: 'integer', minimum: 18 },
    color: { type: 'string', oneOf: [{ const: 'red', title: 'Red' }] },
    mail: { type: 'string', format: 'email' },
    sizes: { type: 'array', items: { type: 'string', enum: ['s', 'm'] }, maxItems: 1 },
  },
  required: ['age'],
};

describe('the answer to an MCP form', () => {
  it('is returned without other fields of the answer when it matches the schema', () => {
    const content = { age: 18, color: 'red', mail: 'a@b.co', sizes: ['m'], more: true };
    assert.deepEqual(answered(form, content), { action: 'accept', content });
    assert.deepEqual(
      checkedElicitation({ mode: 'form', message: '', requestedSchema: form }, { action: 'decline', content }),
      { action: 'decline' },
    );
  });

  it('is rejected with its problems when it does not match the schema', () => {
    assert.throws(() => answered(form, { age: 17 }), /does not match the requested schema: \$\.age must be >= 18/);
    assert.throws(() => answered(form, {}), /\$ "age" is missing/);
    for (const wrong of [{ color: 'blue' }, { mail: 'a' }, { sizes: ['l'] }, { sizes: ['s', 'm'] }])
      assert.throws(() => answered(form, { age: 18, ...wrong }), /does not match/);
  });

  it('is rejected when the schema cannot be compiled', () => {
    for (const broken of [{ properties: [] }, { properties: { a: { type: 'strin' } } }, { minProperties: -1 }])
      assert.throws(
        () => answered({ type: 'object', ...broken }, { a: 'x' }),
        /the requested schema cannot be compiled/,
      );
  });
});
