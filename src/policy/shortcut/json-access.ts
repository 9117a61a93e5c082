import type { ASTNode } from '@marcbachmann/cel-js';
import type { WorkBudget } from '../work-budget.ts';
import { charactersWork, firstIn, textWork } from '../work-costs.ts';
import { type Code, type Compile, type Run, canBe, unsure } from './code.ts';

type Keyed = Readonly<Record<string, unknown>>;

/** An object as JSON makes them. One with a key `constructor` is none to CEL's evaluator. */
export function isPlain(value: unknown): value is Keyed {
  if (typeof value !== 'object' || value === null) return false;
  const made: unknown = value.constructor;
  return made === Object || made === undefined;
}

/** A list as JSON makes them. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.constructor === Array;
}

/** One single value. */
export function isSingle(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether CEL's evaluator can name the type of a value: it looks at the first thing in the first thing in it, and so on. */
function hasType(value: unknown, work: WorkBudget): boolean {
  let inner = value;
  while (!isSingle(inner) && inner !== undefined) {
    if (!isList(inner) && !isPlain(inner)) return false;
    inner = firstIn(inner, work);
  }
  return true;
}

/** `x.name`, `x['name']` and `x[0]`, in arguments. */
export function jsonAccess(target: Code, key: string | number): Code | undefined {
  if (target.type !== 'json' && target.type !== 'map') return undefined;
  const { run } = target;
  if (typeof key === 'number')
    return {
      type: 'json',
      run: (scene) => {
        const list = run(scene);
        const value = isList(list) ? list[key] : undefined;
        return value === undefined ? unsure : value;
      },
    };
  return {
    type: 'json',
    run: (scene) => {
      const owner = run(scene);
      if (!isPlain(owner) || !Object.hasOwn(owner, key)) return unsure;
      const value = owner[key];
      return value === undefined ? unsure : value;
    },
  };
}

/** `has(args.a.b)`: what stands before the last name must be there. */
export function hasKey([node]: readonly ASTNode[], compile: Compile): Code | undefined {
  if (node?.op !== '.') return undefined;
  const [target, key] = node.args;
  const { type, run } = compile(target) ?? {};
  if (run === undefined || (type !== 'json' && type !== 'map')) return undefined;
  return {
    type: 'bool',
    run: (scene) => {
      const owner = run(scene);
      if (!isPlain(owner)) return unsure;
      const value = Object.hasOwn(owner, key) ? owner[key] : undefined;
      if (value === undefined) return false;
      return isSingle(value) || isPlain(value) || isList(value) ? true : unsure;
    },
  };
}

/** `size(x)` and `x.size()`. */
export function sizeOf({ type, run }: Code): Code | undefined {
  const size = sizes[type];
  return size === undefined ? undefined : { type: 'int', run: (scene) => size(run(scene), scene.work) };
}

const sizes: Partial<Record<Code['type'], (value: unknown, work: WorkBudget) => unknown>> = {
  string: sizeOfValue,
  json: sizeOfValue,
  map: sizeOfValue,
  strings: (value, work) => (value instanceof Set ? value.size : sizeOfValue(value, work)),
};

function sizeOfValue(value: unknown, work: WorkBudget): unknown {
  if (typeof value === 'string') {
    work.charge(charactersWork(value.length));
    let count = 0;
    for (const _ of value) count += 1;
    return count;
  }
  if (!hasType(value, work)) return unsure;
  if (isList(value)) return value.length;
  return isPlain(value) ? work.keysOf(value).length : unsure;
}

/** `x in y`: an element of a list or a key of an object. */
export function isIn(node: ASTNode, value: Code, compile: Compile): Code | undefined {
  if (node.op === 'list') return canBe(value, 'string', 'int') ? isInWritten(node.args, value.run) : undefined;
  const target = compile(node);
  if (target === undefined || !canHold(target.type) || value.type !== 'string') return undefined;
  const { run } = target;
  const sought = value.run;
  if (target.type === 'strings')
    return {
      type: 'bool',
      run: (scene) => {
        const list = run(scene);
        const text = sought(scene);
        if (typeof text !== 'string') return unsure;
        if (list instanceof Set) return list.has(text);
        return isList(list) ? includes(list, text, scene.work) : unsure;
      },
    };
  return {
    type: 'bool',
    run: (scene) => {
      const holder = run(scene);
      const key = sought(scene);
      if (typeof key !== 'string') return unsure;
      if (isPlain(holder)) return Object.hasOwn(holder, key) && holder[key] !== undefined;
      return isList(holder) && hasType(holder, scene.work) ? includes(holder, key, scene.work) : unsure;
    },
  };
}

function includes(list: readonly unknown[], text: string, work: WorkBudget): boolean {
  for (const each of list) {
    work.charge(typeof each === 'string' && each.length === text.length ? textWork(text.length) : 1);
    if (each === text) return true;
  }
  return false;
}

const canHold = (type: Code['type']): boolean => type === 'strings' || type === 'map' || type === 'json';

/** `x in ['a', 'b']` or `x in [1, 2]`; lists of other things are left to CEL's evaluator. */
function isInWritten(elements: readonly ASTNode[], run: Run): Code | undefined {
  const values = new Set<unknown>();
  for (const each of elements) {
    const value: unknown = each.op === 'value' ? each.args : undefined;
    if (typeof value === 'string') values.add(value);
    else if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) values.add(Number(value));
    else return undefined;
  }
  if (new Set([...values].map((value) => typeof value)).size > 1) return undefined;
  return {
    type: 'bool',
    run: (scene) => {
      const value = run(scene);
      if (!isSingle(value)) return unsure;
      if (typeof value === 'string') scene.work.charge(textWork(value.length));
      return values.has(value);
    },
  };
}
