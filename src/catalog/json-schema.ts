import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { messageOf } from '../model/errors.ts';
import { type JsonSchema, inspectJson } from '../model/json.ts';
import { jsonPath } from '../model/json-path.ts';
import { boundedRun, isTimeout } from './bounded-run.ts';
import { isPlain } from './plain-schema.ts';
import { firstProblems } from './problems.ts';
import { safeSize } from './safe-size.ts';
import type { Problem } from './source.ts';

/** A compiled schema: what is wrong with a value, or `undefined` when nothing is. */
export type Validate = (value: unknown) => Problem[] | undefined;

/** Returns whether a value fits a schema. Throws when a check that could take long takes longer than `maxMs`, a whole number from 1. */
export type FitsInTime = (value: unknown, maxMs: number) => boolean;

/** A schema that compiled, or why it did not. */
export type Compiled =
  | { readonly ok: true; readonly validate: Validate; readonly fitsInTime: FitsInTime }
  | { readonly ok: false; readonly reason: string };

type Draft = 'draft-07' | '2020-12';

const require = createRequire(import.meta.url);

// Used schemas are not added: Ajv would answer a repeated `$id` with the first schema that had it.
const options: Options = {
  strict: false,
  validateFormats: true,
  addUsedSchema: false,
  validateSchema: false,
  logger: false,
};
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
const metas = new Map<Draft, Ajv>();
const mostValuesShown = 20;
const longestCheckMs = 500;
/** Values up to this size are searched for all their problems; a large one could have millions. */
const largestFullySearched = 100_000;

/** Compiles foreign JSON Schema, 2020-12 and draft-07, each distinct schema once. One compiler for each server. */
export class SchemaCompiler {
  readonly #compiled = new Map<string, Compiled>();
  readonly #ajv = new Map<string, Ajv>();

  compile(schema: JsonSchema): Compiled {
    try {
      const key = hash('sha256', JSON.stringify(schema), 'hex');
      let compiled = this.#compiled.get(key);
      if (compiled === undefined) this.#compiled.set(key, (compiled = this.#compile(schema, key)));
      return compiled;
    } catch (error) {
      // Invalid, or with a cycle, a BigInt or nesting too deep even to be written down.
      return { ok: false, reason: messageOf(error) };
    }
  }

  /** Returns why a schema does not compile. A plain schema without references always compiles, so it is not tried. */
  problem(schema: JsonSchema): string | undefined {
    if (isPlain(withoutDraft(schema)) && !JSON.stringify(schema).includes('"$ref"')) return undefined;
    const compiled = this.compile(schema);
    return compiled.ok ? undefined : compiled.reason;
  }

  #compile(schema: JsonSchema, key: string): Compiled {
    const draft = isDraft07(schema) ? 'draft-07' : '2020-12';
    const given = rooted(schema, key);
    if (!isPlain(withoutDraft(schema))) void metaFor(draft).validateSchema(given, true);
    const first = this.#for(draft, 'first-problem').compile(given);
    // Its answer would be a promise, and its rejection nobody's.
    if ('$async' in first) return { ok: false, reason: 'asynchronous schemas ($async) are not supported' };
    const safe = safeSize(schema);
    const isSafe = (value: unknown): boolean => safe === Number.POSITIVE_INFINITY || inspectJson(value, safe).ok;
    const validate: Validate = (value) => {
      try {
        const passes = isSafe(value) ? passesAtOnce : passesInTime;
        if (passes(first, value)) return undefined;
        if (!inspectJson(value, largestFullySearched).ok) return problemsOf(first);
        const all = this.#for(draft, 'all-problems').compile(given);
        return passes(all, value) ? undefined : problemsOf(all);
      } catch (error) {
        // Out of time, or out of stack in a schema that refers to itself without end.
        return [{ path: '$', message: `could not be checked against the schema: ${messageOf(error)}` }];
      }
    };
    const fitsInTime: FitsInTime = (value, maxMs) => {
      try {
        return isSafe(value) ? first(value) : boundedRun(() => first(value), maxMs);
      } catch (error) {
        if (isTimeout(error)) throw error;
        return false;
      }
    };
    return { ok: true, validate, fitsInTime };
  }

  #for(draft: Draft, extent: 'first-problem' | 'all-problems'): Ajv {
    const key = `${draft} ${extent}`;
    let ajv = this.#ajv.get(key);
    if (ajv === undefined) {
      this.#ajv.set(key, (ajv = newAjv(draft, { ...options, allErrors: extent === 'all-problems' })));
    }
    return ajv;
  }
}

/** What schemas that are not plain are checked with: compiled once for all servers, because it takes longer than all else. It is given nothing foreign to compile. */
function metaFor(draft: Draft): Ajv {
  let meta = metas.get(draft);
  if (meta === undefined) metas.set(draft, (meta = newAjv(draft, options)));
  return meta;
}

/** Ajv has a hundred files, and many a process never compiles a schema: it is loaded for the first one. */
function newAjv(draft: Draft, used: Options): Ajv {
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  const ajv =
    draft === 'draft-07'
      ? new (require('ajv') as typeof import('ajv')).Ajv(used)
      : new (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(used);
  return formats.default(ajv);
}

function passesAtOnce(validate: ValidateFunction, value: unknown): boolean {
  return validate(value);
}

function passesInTime(validate: ValidateFunction, value: unknown): boolean {
  return boundedRun(() => validate(value), longestCheckMs);
}

function isDraft07(schema: JsonSchema): boolean {
  return typeof schema === 'object' && /^https?:\/\/json-schema\.org\/draft-07\//.test(String(schema['$schema']));
}

/** Without the name of a draft that is supported. */
function withoutDraft(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || !(isDraft07(schema) || schema['$schema'] === draft2020)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

/**
 * What Ajv is given. A schema without `$id` gets one: without it, and without adding schemas, Ajv cannot follow `$ref: "#"`.
 * Draft-07 loses its `$schema`, which is often written with https and then unknown to Ajv.
 */
function rooted(schema: JsonSchema, key: string): Parameters<Ajv['compile']>[0] {
  if (typeof schema === 'boolean') return schema;
  const { $schema, ...rest } = schema;
  const given = isDraft07(schema) || $schema === undefined ? rest : schema;
  return given['$id'] === undefined ? { ...given, $id: `signalbox://schemas/${key}` } : given;
}

function problemsOf(validate: ValidateFunction): Problem[] {
  return firstProblems(validate.errors ?? [], problemOf);
}

function problemOf(error: ErrorObject): Problem {
  const path = pathOf(error.instancePath);
  const parameters = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { path, message: `"${String(parameters['missingProperty'])}" is missing` };
    case 'additionalProperties':
      return { path, message: `"${String(parameters['additionalProperty'])}" is not known` };
    case 'enum':
      return { path, message: `must be one of ${shownValues(parameters['allowedValues'])}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(parameters['allowedValue'])}` };
    default:
      return { path, message: error.message ?? `fails ${error.keyword}` };
  }
}

function shownValues(allowed: unknown): string {
  if (!Array.isArray(allowed) || allowed.length <= mostValuesShown) return JSON.stringify(allowed);
  return `${JSON.stringify(allowed.slice(0, mostValuesShown))} and ${allowed.length - mostValuesShown} more`;
}

function pathOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return jsonPath(
    steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'))),
  );
}
