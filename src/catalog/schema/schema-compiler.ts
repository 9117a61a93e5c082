import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Script, createContext } from 'node:vm';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { messageOf } from '../../core/errors.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { type JsonSchema, inspectJson, jsonPath } from '../../core/json/json.ts';
import { type LinearPattern, linearPattern } from './linear-pattern.ts';
import { isPlain } from './plain-schema.ts';
import { firstProblems } from './first-problems.ts';
import { safeSize } from './safe-size.ts';
import { resolveReference } from './schema-keywords.ts';
import { type Dialect, type DialectSchema, inDeclaredDialect, inOlderDialect } from './schema-dialect.ts';
import type { ArgumentProblem } from '../source/source.ts';

/** A compiled schema. Returns the problems of a value, or `undefined` when it is valid. */
export type Validate = (value: unknown) => ArgumentProblem[] | undefined;

/** Returns whether a value matches a schema. Throws when a potentially slow check exceeds `maxMs`, an integer of at least 1. */
export type FitsInTime = (value: unknown, maxMs: number) => boolean;

/** A compiled schema, or the reason why it did not compile. */
export type Compiled =
  | {
      readonly ok: true;
      readonly validate: Validate;
      readonly fitsInTime: FitsInTime;
      readonly notices: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** Returns the notice of a tool whose input schema does not compile. */
export function unusableSchemaNotice(reason: string): string {
  return `its input schema cannot be used, so its arguments cannot be checked: ${reason}; it can be called once "schema": "trust" is set for it`;
}

/** `strict`: a pattern that cannot be checked in linear time is an error. `trusting`: such patterns are omitted. */
type Patterns = 'strict' | 'trusting';

const require = createRequire(import.meta.url);

// Optimization is off, because its time is quadratic in the size of the schema. References are inlined only when the copy is small.
const options: Options = {
  strict: false,
  validateFormats: true,
  validateSchema: false,
  logger: false,
  ownProperties: true,
  inlineRefs: 30,
};
const workContext = createContext({ work: undefined });
const workScript = new Script('work()');
const metaValidators = new Map<Dialect, Ajv>();
const maxValuesShown = 20;
const maxCheckMs = 500;
/** The time limit for a schema whose check recently timed out, because checks block the event loop. */
const maxSlowCheckMs = 100;
const slowForMs = 10_000;
/** The maximum number of objects and lists in a schema. Published servers have up to 150; 4,000 take about 200 ms. */
const maxSchemaParts = 4000;
const maxSchemaLength = 2 * 1024 * 1024;
/** All problems are collected for values up to this size; a large value could have millions. */
const maxFullySearchedLength = 100_000;

/** Compiles untrusted JSON Schema from draft-04 to 2020-12, each distinct schema once. Each server has its own compiler. */
export class SchemaCompiler {
  readonly #compiled = new Map<string, Compiled>();
  readonly #ajv = new Map<string, Ajv>();

  /** Compiles a schema. With `trust`, patterns that cannot be checked in linear time are omitted. */
  compile(schema: JsonSchema, { trust = false }: { readonly trust?: boolean } = {}): Compiled {
    try {
      const text = JSON.stringify(schema);
      assertSize(schema, text);
      const patterns = trust ? 'trusting' : 'strict';
      const key = `${patterns} ${hash('sha256', text, 'hex')}`;
      return getOrInsert(this.#compiled, key, () => this.#compileAny(schema, patterns, key));
    } catch (error) {
      // The schema cannot be serialized: it has a cycle, a BigInt or excessive nesting.
      return { ok: false, reason: messageOf(error) };
    }
  }

  /** Returns why a schema does not compile. A plain schema always compiles, so it is not tried. */
  problem(schema: JsonSchema): string | undefined {
    try {
      assertSize(schema, JSON.stringify(schema));
    } catch (error) {
      return messageOf(error);
    }
    const declared = inDeclaredDialect(schema);
    if (declared.notice === undefined && isPlain(declared.schema) && hasValidReferences(declared.schema))
      return undefined;
    const compiled = this.compile(schema);
    return compiled.ok ? undefined : compiled.reason;
  }

  #compileAny(schema: JsonSchema, patterns: Patterns, key: string): Compiled {
    const declared = inDeclaredDialect(schema);
    try {
      return this.#compile(declared, patterns, key);
    } catch (error) {
      const older = inOlderDialect(schema);
      if (older === undefined) return { ok: false, reason: messageOf(error) };
      try {
        return this.#compile(older, patterns, key);
      } catch {
        return { ok: false, reason: messageOf(error) };
      }
    }
  }

  #compile({ dialect, schema, notice }: DialectSchema, patterns: Patterns, key: string): Compiled {
    const given = withRootId(schema, key);
    if (!isPlain(schema)) void metaValidatorFor(dialect).validateSchema(given, true);
    const omitted: string[] = [];
    // Ajv would return the first schema with a repeated `$id`.
    const isUnshared = patterns === 'trusting' || JSON.stringify(schema).includes('"$id":');
    const compiled = (extent: Extent): ValidateFunction =>
      this.#ajvFor({ dialect, patterns, extent, isUnshared, omitted }).compile(given);
    const first = compiled('first-problem');
    let all: ValidateFunction | undefined;
    // Its validator would return a promise whose rejection is never handled.
    if ('$async' in first) throw new Error('asynchronous schemas ($async) are not supported');
    const safe = safeSize(schema);
    const isSafe = (value: unknown): boolean => safe === Number.POSITIVE_INFINITY || inspectJson(value, safe).ok;
    let slowUntil = 0;
    const passes = (check: ValidateFunction, value: unknown): boolean => {
      if (isSafe(value)) return check(value);
      return boundedRun(() => check(value), Date.now() < slowUntil ? maxSlowCheckMs : maxCheckMs);
    };
    const validate: Validate = (value) => {
      try {
        if (passes(first, value)) return undefined;
        if (!inspectJson(value, maxFullySearchedLength).ok) return problemsOf(first);
        all ??= compiled('all-problems');
        return passes(all, value) ? undefined : problemsOf(all);
      } catch (error) {
        // The check timed out, or overflowed the stack in an infinitely recursive schema.
        if (isTimeout(error)) slowUntil = Date.now() + slowForMs;
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
    return {
      ok: true,
      validate,
      fitsInTime,
      notices: [...(notice === undefined ? [] : [notice]), ...new Set(omitted)],
    };
  }

  #ajvFor({ dialect, patterns, extent, isUnshared, omitted }: AjvNeeds): Ajv {
    const key = `${dialect} ${extent}`;
    let ajv = isUnshared ? undefined : this.#ajv.get(key);
    if (ajv === undefined) {
      const regExp = Object.assign((pattern: string) => enginePattern(pattern, patterns, omitted), {
        code: 'linearPattern',
      });
      const own = {
        addUsedSchema: isUnshared,
        allErrors: extent === 'all-problems',
        code: { optimize: false, regExp },
      };
      ajv = newAjv(dialect, { ...options, ...own });
      if (!isUnshared) this.#ajv.set(key, ajv);
    }
    return ajv;
  }
}

type Extent = 'first-problem' | 'all-problems';

interface AjvNeeds {
  readonly dialect: Dialect;
  readonly patterns: Patterns;
  readonly extent: Extent;
  /** Whether the compiler is not shared with other schemas. */
  readonly isUnshared: boolean;
  /** Receives the patterns that were omitted. */
  readonly omitted: string[];
}

function assertSize(schema: JsonSchema, text: string): void {
  if (text.length > maxSchemaLength)
    throw new Error(`it has ${text.length} characters, more than the ${maxSchemaLength} that are compiled`);
  const parts = countParts(schema);
  if (parts > maxSchemaParts)
    throw new Error(`it has ${parts} parts, more than the ${maxSchemaParts} that are compiled`);
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 1;
  for (const each of Object.values(value)) count += countParts(each);
  return count;
}

/** Returns a pattern in the form that Ajv expects. Ajv uses its text as the cache key. */
function enginePattern(pattern: string, patterns: Patterns, omitted: string[]): LinearPattern {
  const named = ({ test }: LinearPattern): LinearPattern =>
    Object.assign({ test }, { toString: () => `linear ${pattern}` });
  try {
    return named(linearPattern(pattern));
  } catch (error) {
    if (patterns === 'strict') throw error;
    omitted.push(`its schema is trusted: ${messageOf(error)}, so it is not checked`);
    return named({ test: () => true });
  }
}

/** Returns whether each reference of a plain schema resolves to a part of it. */
function hasValidReferences(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  if (!text.includes('"$ref"')) return true;
  const references = text.matchAll(/"\$ref":"([^"]*)"/g);
  return [...references].every(([, reference = '']) => isPlain(resolveReference(reference, schema)));
}

/** Returns the validator of the meta-schema, which checks schemas that are not plain. It is shared by all servers because compiling it is expensive. It never compiles foreign schemas. */
function metaValidatorFor(dialect: Dialect): Ajv {
  return getOrInsert(metaValidators, dialect, () => newAjv(dialect, { ...options, validateFormats: false }));
}

/** Creates an Ajv instance. Ajv is loaded on first use, because it has a hundred files and many processes never compile a schema. */
function newAjv(dialect: Dialect, used: Options): Ajv {
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  return formats.default(ajvOf(dialect, used));
}

function ajvOf(dialect: Dialect, used: Options): Ajv {
  switch (dialect) {
    case 'draft-07':
      return new (require('ajv') as typeof import('ajv')).Ajv(used);
    case '2019-09':
      return new (require('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js')).Ajv2019(used);
    case '2020-12':
      return new (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(used);
  }
}

/** Returns the schema for Ajv. A schema without `$id` gets one: without it, Ajv cannot follow `$ref: "#"`. */
function withRootId(schema: JsonSchema, key: string): Parameters<Ajv['compile']>[0] {
  if (typeof schema === 'boolean' || schema['$id'] !== undefined) return schema;
  return { ...schema, $id: `signalbox://schemas/${key.replace(' ', '/')}` };
}

function problemsOf(validate: ValidateFunction): ArgumentProblem[] {
  return firstProblems(validate.errors ?? [], problemOf);
}

function problemOf(error: ErrorObject): ArgumentProblem {
  const path = pathOf(error.instancePath);
  const parameters = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { path, message: `"${String(parameters['missingProperty'])}" is missing` };
    case 'additionalProperties':
      return { path, message: `"${String(parameters['additionalProperty'])}" is not known` };
    case 'enum':
      return { path, message: `must be one of ${formatValues(parameters['allowedValues'])}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(parameters['allowedValue'])}` };
    default:
      return { path, message: error.message ?? `fails ${error.keyword}` };
  }
}

function formatValues(allowed: unknown): string {
  if (!Array.isArray(allowed) || allowed.length <= maxValuesShown) return JSON.stringify(allowed);
  return `${JSON.stringify(allowed.slice(0, maxValuesShown))} and ${allowed.length - maxValuesShown} more`;
}

function pathOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return jsonPath(
    steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'))),
  );
}

/**
 * Runs synchronous work with a timeout, and throws `ERR_SCRIPT_EXECUTION_TIMEOUT` when it is exceeded.
 * Interrupts even a backtracking regular expression. Costs about 0.5 ms.
 */
function boundedRun<Result>(work: () => Result, milliseconds: number): Result {
  workContext['work'] = work;
  try {
    return workScript.runInContext(workContext, { timeout: milliseconds }) as Result;
  } finally {
    workContext['work'] = undefined;
  }
}

/** Returns whether `boundedRun` threw this error because the work took too long. It is an `Error` of another realm. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
