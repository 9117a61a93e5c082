import type { PolicyFileText } from '../config/policy-file.ts';
import type { ServerStanding } from '../config/lock/standing.ts';

/** The configuration that a server runs from, as far as its routes need it. */
export interface ServedConfiguration {
  readonly file: string;
  /** Why the files as they are now are not what runs; absent when they are. */
  problem(): ConfigurationRefusal | undefined;
  /** Starts what was not started, and offers its tools. */
  enable(server: string): Promise<void>;
  /** The file of rules as it is now; none where they stand in the configuration itself. */
  policyFile(): PolicyFileText | undefined;
  /** Writes the file of rules, and puts them into force. With `seen`, only if that is still its fingerprint. */
  savePolicies(text: string, seen?: string): Promise<void>;
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
