import { Problem } from '../../problems/problem.ts';
import type { PolicyFileText } from '../../../config/file/policy-file.ts';
import type { AcceptedPart, ServerLockStatus } from '../../../config/lock/lock-status.ts';
import type { JsonObject } from '../../../core/json/json.ts';

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
  /** Whether a server stands in the file. */
  has(server: string): boolean;
  /** Adds a server to the file and starts it. Secrets in the entry are kept encrypted and never stand in the file. */
  addServer(name: string, entry: JsonObject): Promise<ChangedServers>;
  /** Takes a server out of the file and ends it. */
  removeServer(name: string): Promise<void>;
  /** The servers of other clients on this machine that could be taken over. */
  foundServers(): Promise<readonly FoundServer[]>;
  takeOver(names: readonly string[]): Promise<ChangedServers>;
  /** Begins a sign-in at a server; answers where to send the person. */
  signIn(server: string): Promise<URL>;
  /** How it stands with the last sign-in that was begun here. */
  signInState(server: string): SignInState | undefined;
  /** How each server stands to the lock, as the lock is now. */
  lockStatuses(): readonly ServerLockStatus[];
  /** Accepts what a server says now, or one of its tools. With `seen`, only if that is still the fingerprint of what it says. */
  accept(server: string, only?: AcceptedPart): Promise<ServerLockStatus>;
}

/** Servers that the file has now, and what their operator should know. */
export interface ChangedServers {
  readonly servers: readonly string[];
  readonly notes: readonly string[];
}

/** A server of another client. */
export interface FoundServer {
  /** What it would be called here. */
  readonly name: string;
  /** As it would stand in the file: without secrets. */
  readonly entry: JsonObject;
  readonly from: readonly { readonly client: string; readonly file: string }[];
  readonly notes: readonly string[];
  /** The names of the secrets that would be kept encrypted. */
  readonly secrets: readonly string[];
}

/** How it stands with a sign-in. */
export interface SignInState {
  readonly state: 'waiting' | 'signed-in' | 'failed';
  readonly since: number;
  readonly error?: string;
}

/** Files that were changed and could not be used. */
export interface ConfigurationRefusal {
  readonly since: number;
  /** What is wrong and where; one each. */
  readonly details: readonly string[];
}

/** Returns the configuration, or throws `configuration-absent` for a box that was created from code. */
export function requireConfiguration(configuration: ServedConfiguration | undefined): ServedConfiguration {
  if (configuration !== undefined) return configuration;
  throw new Problem('configuration-absent', 'this server was started from code, without a configuration');
}
