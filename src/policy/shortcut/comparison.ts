import { textWork } from '../work-costs.ts';
import { type Code, type CodeType, type Run, canBe, unsure } from './code.ts';
import { isSingle } from './json-access.ts';

type Ordered = '<' | '<=' | '>' | '>=';
type Single = string | number;

const orders: Readonly<Record<Ordered, (left: Single, right: Single) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `<`, `<=`, `>`, `>=`: of two numbers, two texts, two times or two spans of time. */
export function ordered(operator: Ordered, left: Code, right: Code): Code | undefined {
  const kind = kindOf(left, right);
  if (kind === undefined) return undefined;
  const holds = orders[operator];
  const [one, other] = [left.run, right.run];
  if (kind === 'either')
    return bool((scene) => {
      const [a, b] = [one(scene), other(scene)];
      if (typeof a === 'number') return typeof b === 'number' ? holds(a, b) : unsure;
      if (typeof a !== 'string' || typeof b !== 'string') return unsure;
      scene.work.charge(textWork(Math.min(a.length, b.length)));
      return holds(a, b);
    });
  if (kind === 'string')
    return bool((scene) => {
      const a = one(scene);
      const b = other(scene);
      if (typeof a !== 'string' || typeof b !== 'string') return unsure;
      scene.work.charge(textWork(Math.min(a.length, b.length)));
      return holds(a, b);
    });
  return bool((scene) => {
    const a = one(scene);
    const b = other(scene);
    return typeof a === 'number' && typeof b === 'number' ? holds(a, b) : unsure;
  });
}

function kindOf(left: Code, right: Code): 'number' | 'string' | 'either' | undefined {
  for (const type of ['time', 'span'] as const)
    if (left.type === type || right.type === type) return left.type === right.type ? 'number' : undefined;
  if (left.type === 'json' && right.type === 'json') return 'either';
  if (canBe(left, 'int', 'double') && canBe(right, 'int', 'double')) return 'number';
  return canBe(left, 'string') && canBe(right, 'string') ? 'string' : undefined;
}

const comparable: readonly CodeType[] = ['bool', 'string', 'int', 'double', 'null'];

/** `==` and `!=`: of single values, and of times. Values of different types are different. */
export function equal(isEqual: boolean, left: Code, right: Code): Code | undefined {
  const areTimes = left.type === 'time' && right.type === 'time';
  if (!areTimes && !(canBe(left, ...comparable) && canBe(right, ...comparable))) return undefined;
  const [one, other] = [left.run, right.run];
  if (right.isConstant === true) return equalTo(isEqual, one, other);
  if (left.isConstant === true) return equalTo(isEqual, other, one);
  return bool((scene) => {
    const a = one(scene);
    const b = other(scene);
    if (!isSingle(a) || !isSingle(b)) return unsure;
    if (typeof a === 'string' && typeof b === 'string') scene.work.charge(textWork(Math.min(a.length, b.length)));
    return (a === b) === isEqual;
  });
}

function equalTo(isEqual: boolean, run: Run, wanted: Run): Code {
  return bool((scene) => {
    const value = run(scene);
    return isSingle(value) ? (value === wanted(scene)) === isEqual : unsure;
  });
}

function bool(run: Run): Code {
  return { type: 'bool', run };
}
