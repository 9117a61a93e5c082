import { matchesPattern, namePattern } from '../model/name-pattern.ts';

/** Names of which any may match; `*` stands for any characters. */
export type Patterns = readonly string[];

/** Tells whether a name fits one of the patterns. */
export function matchesAny(name: string, patterns: Patterns): boolean {
  return patterns.some((pattern) => matchesPattern(name, pattern));
}

/** The same for patterns that are asked about often. */
export function anyOf(patterns: Patterns): (name: string) => boolean {
  const [first, ...rest] = patterns.map(namePattern);
  if (first !== undefined && rest.length === 0) return first;
  return (name) => first?.(name) === true || rest.some((fits) => fits(name));
}
