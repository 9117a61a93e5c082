import { Duration } from '@marcbachmann/cel-js/evaluator';
import type { Scene } from '../scene.ts';
import { joinWork } from '../work-costs.ts';
import { type Code, type Run, canBe, unsure } from './code.ts';

type Operator = '+' | '-' | '*' | '/';

const operations: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

/** `+`, `-`, `*`, `/`: of numbers, `+` of texts, and the time between two times. */
export function arithmetic(operator: Operator, left: Code, right: Code): Code | undefined {
  if (left.type === 'time' && right.type === 'time') return operator === '-' ? between(left.run, right.run) : undefined;
  if (left.type === 'int' && right.type === 'int') return wholeNumbers(operator, left.run, right.run);
  if (canBe(left, 'int', 'double') && canBe(right, 'int', 'double')) return numbers(operator, left, right);
  if (operator !== '+' || !canBe(left, 'string') || !canBe(right, 'string')) return undefined;
  const [one, other] = [left.run, right.run];
  return { type: 'string', run: (scene) => joinedTexts(one(scene), other(scene), scene) };
}

function numbers(operator: Operator, left: Code, right: Code): Code {
  const apply = operations[operator];
  const [one, other] = [left.run, right.run];
  // Two values of arguments may also be texts.
  const isOpen = operator === '+' && left.type === 'json' && right.type === 'json';
  return {
    type: isOpen ? 'json' : 'double',
    run: (scene) => {
      const a = one(scene);
      const b = other(scene);
      if (typeof a === 'number' && typeof b === 'number') return apply(a, b);
      return isOpen ? joinedTexts(a, b, scene) : unsure;
    },
  };
}

/** CEL divides whole numbers into whole numbers; that is left to its evaluator, as is everything that is not exact here. */
function wholeNumbers(operator: Operator, one: Run, other: Run): Code | undefined {
  if (operator === '/') return undefined;
  const apply = operations[operator];
  return {
    type: 'int',
    run: (scene) => {
      const a = one(scene);
      const b = other(scene);
      if (typeof a !== 'number' || typeof b !== 'number') return unsure;
      // There is no negative zero among whole numbers.
      const result = apply(a, b) + 0;
      return Number.isSafeInteger(result) ? result : unsure;
    },
  };
}

function joinedTexts(left: unknown, right: unknown, { work }: Scene): unknown {
  if (typeof left !== 'string' || typeof right !== 'string') return unsure;
  work.charge(joinWork(left.length + right.length));
  return left + right;
}

/** Up to here CEL's evaluator, which counts in nanoseconds, is exact. */
const exactSpanMs = 9_000_000_000;

function between(later: Run, earlier: Run): Code {
  return {
    type: 'span',
    run: (scene) => {
      const a = later(scene);
      const b = earlier(scene);
      if (typeof a !== 'number' || typeof b !== 'number') return unsure;
      const span = a - b;
      return Math.abs(span) <= exactSpanMs ? span : Duration.fromMilliseconds(span).valueOf();
    },
  };
}
