import type { ServerStanding } from '../config/lock/standing.ts';

/** The configuration that a server runs from, as far as its routes need it. */
export interface ServedConfiguration {
  readonly file: string;
  /** Why the files as they are now are not what runs; absent when they are. */
  problem(): ConfigurationRefusal | undefined;
  /** Starts what was not started, and offers its tools. */
  enable(server: string): Promise<void>;
  /** How each server stands to the lock, as the lock is now. */
  standings(): readonly ServerStanding[];
  /** Locks what a server says now. With `seen`, only if that is still the fingerprint of what it says. */
  accept(server: string, seen?: string): Promise<ServerStanding>;
}

/** Files that were changed and could not be used. */
export interface ConfigurationRefusal {
  readonly since: number;
  /** What is wrong and where; one each. */
  readonly details: readonly string[];
}
