import { matchesPattern } from '../model/name-pattern.ts';

/** Names of which any may match; `*` stands for any characters. */
export type Patterns = readonly string[];

/** Tells whether a name fits one of the patterns. */
export function matchesAny(name: string, patterns: Patterns): boolean {
  return patterns.some((pattern) => matchesPattern(name, pattern));
}
