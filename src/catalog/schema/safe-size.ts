import type { JsonSchema } from '../../core/json/json.ts';

const anySize = Number.POSITIVE_INFINITY;
const maxSteps = 1_000_000;
/** The maximum number of reference steps; beyond it, references are treated as infinite. */
const maxReferenceSteps = 10_000;

/** An upper bound for the steps of a check on a value of `size` characters: `factor * (size + 1) ** exponent`. */
interface Cost {
  readonly factor: number;
  readonly exponent: number;
}

const noCost: Cost = { factor: 0, exponent: 1 };
const linearCost: Cost = { factor: 1, exponent: 1 };
/** Unique items are compared pairwise, and the patterns behind formats can backtrack. */
const quadraticCost: Cost = { factor: 1, exponent: 2 };

/**
 * Returns the largest size of a value, in characters of JSON, that is certain to be checked quickly. Checks of larger
 * values need a time limit: unique items are compared pairwise, formats can backtrack, references can branch or recur.
 */
export function safeSize(schema: JsonSchema): number {
  if (typeof schema === 'boolean') return anySize;
  const copies = referenceSteps(schema);
  if (copies > maxReferenceSteps) return 0;
  const { factor, exponent } = costOfPart(schema);
  if (factor === 0) return anySize;
  return Math.max(0, Math.floor((maxSteps / (factor * copies)) ** (1 / exponent)) - 1);
}

function costOfPart(value: unknown): Cost {
  if (!isObject(value)) return noCost;
  return Object.entries(value).reduce(
    (sum, [key, entry]) => sumOf(sum, sumOf(costOfKeyword(key, entry), costOfPart(entry))),
    noCost,
  );
}

function costOfKeyword(key: string, entry: unknown): Cost {
  if (key === 'pattern' && typeof entry === 'string') return linearCost;
  if (key === 'patternProperties' && isObject(entry)) return { factor: Object.keys(entry).length, exponent: 1 };
  return (key === 'uniqueItems' && entry === true) || (key === 'format' && typeof entry === 'string')
    ? quadraticCost
    : noCost;
}

function sumOf(one: Cost, other: Cost): Cost {
  return { factor: one.factor + other.factor, exponent: Math.max(one.exponent, other.exponent) };
}

/** Returns the number of steps to follow all references; infinity for references other than to definitions. */
function referenceSteps(schema: { readonly [keyword: string]: unknown }): number {
  const { $defs, definitions, ...root } = schema;
  const named = new Map([...entriesOf('#/$defs/', $defs), ...entriesOf('#/definitions/', definitions)]);
  const steps = new Map<string, number>();
  const cost = (part: unknown): number => {
    let sum = 1;
    for (const target of references(part)) sum += costOf(target);
    return sum;
  };
  const costOf = (target: string): number => {
    const known = steps.get(target);
    if (known !== undefined) return known;
    // A second visit before its cost is known means that the reference is recursive.
    steps.set(target, anySize);
    const found = named.has(target) ? cost(named.get(target)) : anySize;
    steps.set(target, found);
    return found;
  };
  return cost(root);
}

function entriesOf(prefix: string, definitions: unknown): [string, unknown][] {
  return isObject(definitions) ? Object.entries(definitions).map(([name, part]) => [prefix + name, part]) : [];
}

function references(part: unknown): string[] {
  if (!isObject(part)) return [];
  return Object.entries(part).flatMap(([key, entry]) =>
    (key === '$ref' || key === '$dynamicRef') && typeof entry === 'string' ? [entry] : references(entry),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
