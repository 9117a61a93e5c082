import { durationSyntax, parseDurationMs } from '../../core/text/duration.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { CompileResult } from '../conditions/condition.ts';
import type { Patterns } from './patterns.ts';

/** A path in a policy: keys and indexes from the root. */
export type RulePath = readonly (string | number)[];

/** A problem with a rule; `offset` locates it in the text of a condition. */
export interface RuleFinding {
  readonly path: RulePath;
  readonly message: string;
  readonly hint?: string;
  readonly offset?: number;
}

/** Reads the parts of one object and collects all problems. */
export class ObjectReader {
  readonly #value: JsonObject;
  readonly #path: RulePath;
  readonly #findings: RuleFinding[];

  constructor(value: JsonObject, path: RulePath, findings: RuleFinding[]) {
    this.#value = value;
    this.#path = path;
    this.#findings = findings;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#value, key);
  }

  /** Reads the object under a key. */
  object(key: string): ObjectReader | undefined {
    const value = this.#get(key);
    if (isJsonObject(value)) return new ObjectReader(value, [...this.#path, key], this.#findings);
    this.report(key, 'expected an object');
    return undefined;
  }

  keys(): readonly string[] {
    return Object.keys(this.#value);
  }

  /** Reports unknown keys. Returns whether all keys are known. */
  onlyKeys(known: readonly string[]): boolean {
    const unknown = this.keys().filter((key) => !known.includes(key));
    for (const key of unknown) {
      const close = closestMatch(key, known);
      this.report(
        key,
        'unknown key',
        close === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${close}"?`,
      );
    }
    return unknown.length === 0;
  }

  text(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    return this.report(key, 'expected text');
  }

  boolean(key: string): boolean {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'boolean') return value === true;
    this.report(key, 'expected true or false');
    return false;
  }

  oneOf<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    const close = typeof value === 'string' ? closestMatch(value, choices) : undefined;
    return this.report(
      key,
      `expected ${choices.map((choice) => `"${choice}"`).join(' or ')}`,
      close === undefined ? undefined : `did you mean "${close}"?`,
    );
  }

  /** Reads an integer of at least 0. */
  integer(key: string): number | undefined {
    const value = this.#get(key);
    if (value === undefined || (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value))) return value;
    return this.report(key, 'expected a whole number');
  }

  /** Reads a number of at least 0. */
  number(key: string): number | undefined {
    const value = this.#get(key);
    if (value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value))) return value;
    return this.report(key, 'expected a number of at least 0');
  }

  /** Reads a duration as written. */
  duration(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && (parseDurationMs(value) ?? 0) > 0) return value;
    return this.report(key, `expected ${durationSyntax}`);
  }

  /** Reads one name or a list of names. */
  patterns(key: string): Patterns | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    const names = list.filter((each) => typeof each === 'string' && each !== '');
    if (list.length > 0 && names.length === list.length) return names as Patterns;
    return this.report(key, 'expected a name or a list of names');
  }

  /** Like `patterns`, but required. */
  requiredPatterns(key: string): Patterns {
    if (!this.has(key)) this.reportMissing(key);
    return this.patterns(key) ?? [];
  }

  /** Compiles a CEL expression. */
  expression<Value>(key: string, compile: (text: string) => CompileResult<Value>): Value | undefined {
    const value = this.#get(key);
    if (typeof value !== 'string') return this.report(key, 'expected a condition, in quotes');
    const { value: compiled, problems } = compile(value);
    for (const { message, hint, offset } of problems ?? [])
      this.#findings.push({ path: [...this.#path, key], message, offset, ...(hint === undefined ? {} : { hint }) });
    return compiled;
  }

  equals(key: string, value: JsonValue): boolean {
    return this.#get(key) === value;
  }

  reportMissing(key: string): undefined {
    this.#findings.push({ path: this.#path, message: `"${key}" is missing` });
    return undefined;
  }

  report(key: string | undefined, message: string, hint?: string): undefined {
    const path = key === undefined ? this.#path : [...this.#path, key];
    this.#findings.push({ path, message, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }

  #get(key: string): JsonValue | undefined {
    return this.has(key) ? this.#value[key] : undefined;
  }
}
