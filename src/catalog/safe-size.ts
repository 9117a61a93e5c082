import type { JsonSchema } from '../model/json.ts';

const anySize = Number.POSITIVE_INFINITY;
const mostSteps = 1_000_000;
const pairwise = 1000;

/**
 * The largest value, in characters of JSON, whose check against the schema certainly ends soon; checks of larger ones are
 * watched. Patterns can backtrack, unique items are compared pairwise, references can branch or recur.
 */
export function safeSize(schema: JsonSchema): number {
  if (typeof schema === 'boolean') return anySize;
  return referencesEnd(schema) ? smallest(schema) : 0;
}

function smallest(value: unknown): number {
  if (typeof value !== 'object' || value === null) return anySize;
  return Object.entries(value).reduce(
    (safe, [key, entry]) => Math.min(safe, own(key, entry), smallest(entry)),
    anySize,
  );
}

function own(key: string, entry: unknown): number {
  if (key === 'pattern' && typeof entry === 'string') return safeForPattern(entry);
  if (key === 'patternProperties' && isObject(entry)) return Math.min(...Object.keys(entry).map(safeForPattern));
  return key === 'uniqueItems' && entry === true ? pairwise : anySize;
}

/** Backtracking takes at most size^(unbounded quantifiers + 1) steps, unless a quantified group makes it exponential. */
function safeForPattern(pattern: string): number {
  if (/\)[*+?{]|\\[1-9k]/.test(pattern)) return 0;
  const unbounded = pattern.replaceAll(/\\./g, '').match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  return Math.floor(mostSteps ** (1 / (unbounded + 1)));
}

/** Whether following all references comes to an end after a few thousand steps. Only plain references to definitions are followed. */
function referencesEnd(schema: { readonly [keyword: string]: unknown }): boolean {
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
    // Until its cost is known, coming back to it means that it recurs.
    steps.set(target, anySize);
    const found = named.has(target) ? cost(named.get(target)) : anySize;
    steps.set(target, found);
    return found;
  };
  return cost(root) <= 10_000;
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
