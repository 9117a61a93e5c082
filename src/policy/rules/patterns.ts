import { matchesAnyName, compileNamePattern } from '../../core/text/name-pattern.ts';

/** Patterns of which any may match; `*` matches any characters. */
export type Patterns = readonly string[];

/** Returns whether one of the names matches one of the patterns. */
export function matchesAny(names: readonly string[], patterns: Patterns): boolean {
  return patterns.some((pattern) => matchesAnyName(names, pattern));
}

/** Returns a predicate for one name, for patterns that are evaluated often. */
export function createMatcher(patterns: Patterns): (name: string) => boolean {
  const [first, ...rest] = patterns.map(compileNamePattern);
  if (first !== undefined && rest.length === 0) return first;
  return (name) => first?.(name) === true || rest.some((matches) => matches(name));
}
