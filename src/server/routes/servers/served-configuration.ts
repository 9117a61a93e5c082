import type { ServerContext } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { PolicyFileText } from '../../../config/file/policy-file.ts';
import type { AcceptedPart, ServerLockStatus } from '../../../config/lock/lock-status.ts';
import type { JsonObject } from '../../../core/json/json.ts';

/** The configuration of a running server, as the routes use it. */
export interface ServedConfiguration {
  readonly file: string;
  /** Returns why the current files are not active; `undefined` when they are. */
  problem(): ConfigurationRefusal | undefined;
  /** Enables a server, and starts it if necessary. */
  enable(server: string): Promise<void>;
  /** Returns the policy file; `undefined` when the configuration contains the rules. */
  policyFile(): PolicyFileText | undefined;
  /** Writes the policy file and activates its rules. With `seen`, only if it is the current fingerprint. */
  savePolicies(text: string, seen?: string): Promise<void>;
  /** Returns whether the file contains a server. */
  has(server: string): boolean;
  /** Adds a server to the file and starts it. Secrets in the entry are stored encrypted, not in the file. */
  addServer(name: string, entry: JsonObject): Promise<ChangedServers>;
  /** Removes a server from the file and stops it. */
  removeServer(name: string): Promise<void>;
  /** Returns the servers of other clients on this machine that can be imported. */
  importableServers(): Promise<readonly FoundServer[]>;
  importServers(names: readonly string[]): Promise<ChangedServers>;
  /** Starts a sign-in to a server, and returns the URL to open. */
  signIn(server: string): Promise<URL>;
  /** Returns the state of the last sign-in that this process started. */
  signInState(server: string): SignInState | undefined;
  /** Compares each server with the current lock. */
  lockStatuses(): readonly ServerLockStatus[];
  /** Accepts the current definitions of a server, or of one tool. With `seen`, only if it is the current fingerprint. */
  accept(server: string, only?: AcceptedPart): Promise<ServerLockStatus>;
}

/** The servers that were added to the file, and notes for the operator. */
export interface ChangedServers {
  readonly servers: readonly string[];
  readonly notes: readonly string[];
}

/** A server of another client. */
export interface FoundServer {
  /** The name that it would get. */
  readonly name: string;
  /** The configuration entry, without secrets. */
  readonly entry: JsonObject;
  readonly from: readonly { readonly client: string; readonly file: string }[];
  readonly notes: readonly string[];
  /** The names of the secrets that would be stored encrypted. */
  readonly secrets: readonly string[];
}

/** The state of a sign-in. */
export interface SignInState {
  readonly state: 'waiting' | 'signed-in' | 'failed';
  readonly since: number;
  readonly error?: string;
}

/** Changed files that cannot be used. */
export interface ConfigurationRefusal {
  readonly since: number;
  /** The errors with their positions. */
  readonly details: readonly string[];
}

/** Returns the configuration, or throws `configuration-absent` for a box that was created from code. */
export function requireConfiguration(configuration: ServedConfiguration | undefined): ServedConfiguration {
  if (configuration !== undefined) return configuration;
  throw new Problem('configuration-absent', 'this server was started from code, without a configuration');
}

/** Records a change that the caller of a route made to the configuration. */
export function recordChange(box: InternalSignalbox, context: ServerContext, detail: string): void {
  box.recordConfiguration({ status: 'applied', by: context.var.principal, details: [detail] });
}
