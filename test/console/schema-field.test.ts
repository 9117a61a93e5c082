import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type SchemaField,
  emptyValue,
  initialValue,
  matchesField,
  parseSchemaField,
  describeType,
} from '../../console/src/pages/tools/schema-field.ts';

const fieldNamed = (field: SchemaField, name: string): SchemaField | undefined =>
  field.kind === 'object' ? field.fields.find((each) => each.name === name)?.field : undefined;

describe('form fields of a schema', () => {
  it('are parsed from types, enums, null, variants and references', () => {
    const field = parseSchemaField({
      type: 'object',
      required: ['size'],
      properties: {
        note: { type: ['string', 'null'] },
        size: { enum: ['small', null] },
        pet: { anyOf: [{ $ref: '#/$defs/Pet' }, { type: 'null' }], description: 'Or none.' },
        when: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        mixed: { type: ['string', 'number'] },
        counts: { type: 'array', items: { type: 'integer', minimum: 1 } },
        wrapped: { allOf: [{ $ref: '#/$defs/Pet' }], title: 'A pet' },
      },
      $defs: { Pet: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    });
    const typeOf = (name: string): string =>
      describeType(fieldNamed(field, name) ?? { kind: 'json', isNullable: false, limits: [] });
    assert.deepEqual(['note', 'size', 'pet', 'when', 'kind', 'map', 'mixed', 'counts', 'wrapped'].map(typeOf), [
      'string or null',
      'always small or null',
      'object or null',
      'string or integer',
      'one of a, b',
      'any JSON',
      'any JSON',
      'list of integer',
      'object',
    ]);
    assert.equal(field.kind === 'object' && field.fields[0]?.name, 'size', 'required fields come first');
    assert.equal(fieldNamed(field, 'pet')?.description, 'Or none.');
    assert.equal(fieldNamed(field, 'wrapped')?.title, 'A pet');
  });

  it('have an initial value with the required fields whose value is known', () => {
    const field = parseSchemaField({
      type: 'object',
      required: ['version', 'depth', 'text', 'inner'],
      properties: {
        version: { const: 2 },
        depth: { type: 'integer', default: 3 },
        text: { type: 'string' },
        optional: { type: 'integer', default: 4 },
        inner: { type: 'object', required: ['on'], properties: { on: { type: 'boolean', default: false } } },
      },
    });
    assert.deepEqual(initialValue(field), { version: 2, depth: 3, inner: { on: false } });
  });

  it('end at references that are recursive or unresolvable', () => {
    const tree = parseSchemaField({
      type: 'object',
      properties: { next: { $ref: '#' }, lost: { $ref: '#/$defs/none' }, round: { $ref: '#/properties/round' } },
    });
    assert.equal(fieldNamed(tree, 'lost')?.kind, 'json');
    assert.equal(fieldNamed(tree, 'round')?.kind, 'json');
    assert.ok(JSON.stringify(tree).length < 10_000);
  });

  it('are parsed from any schema; the empty value of a simple type matches its field', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'type',
            'properties',
            'items',
            'anyOf',
            'oneOf',
            'enum',
            'const',
            'required',
            '$ref',
            'allOf',
            'default',
          ),
          fc.jsonValue(),
        ),
        (schema) => {
          const field = parseSchemaField(schema);
          describeType(field);
          const value = emptyValue(field);
          if (field.default === undefined && field.kind !== 'object') matchesField(field, value);
        },
      ),
      { seed: 7 },
    );
    fc.assert(
      fc.property(fc.constantFrom('string', 'number', 'integer', 'boolean'), (type) => {
        const field = parseSchemaField({ type });
        assert.ok(matchesField(field, emptyValue(field)));
      }),
      { seed: 7 },
    );
  });
});
