import { hash } from 'node:crypto';

/**
 * Facts about the arguments of a call that rules need later, computed before the journal truncates or redacts the arguments. Recorded with
 * calls whose arguments are not recorded in full.
 */
export interface ArgumentFacts {
  /** The cost of the call by each expression that a rule counts with. */
  readonly costs: Readonly<Record<string, number>>;
  /** Fingerprints of the paths in arguments that name files, by argument. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** Returns a fingerprint that identifies a path without recording the path itself. */
export function pathFingerprint(path: string): string {
  return `sha256:${hash('sha256', path, 'hex').slice(0, 32)}`;
}
