import type { AccessTokens } from '../access/access-tokens.ts';
import type { Pins } from '../catalog/pins/pins.ts';
import type { ToolReference } from '../core/calls/call.ts';
import type { ConfigurationChange } from '../journal/entries/journal-event.ts';
import type { JournalReader } from '../journal/queries/journal-reader.ts';
import type { JobStore } from '../journal/store/job-store.ts';
import type { SessionStore } from '../journal/store/session-store.ts';
import type { Store } from '../journal/store/store.ts';
import type { ApprovalInbox } from '../pipeline/approvals/approval-inbox.ts';
import type { Approvals } from '../pipeline/approvals/approvals.ts';
import type { BeginOptions, BeginResult } from '../pipeline/begin-call.ts';
import type { FileProtection } from '../pipeline/files/file-guard.ts';
import type { HostPolicySource } from '../pipeline/policies/compile-policies.ts';
import type { LocalServer } from '../sources/local/local-server.ts';
import type { JournalApi, PoliciesApi, Signalbox } from './signalbox.ts';

/** The policies of a box, set by our own host, which has parsed their files already. */
interface HostPoliciesApi extends PoliciesApi {
  set(policies: readonly HostPolicySource[], options?: { readonly keepCode?: boolean }): Promise<void>;
}

/** The internal interface of a box, for our own server, sessions and commands. Not part of the public API. */
export interface InternalSignalbox extends Signalbox {
  readonly approvals: ApprovalInbox & Pick<Approvals, 'followCallers'>;
  readonly journal: JournalApi & JournalReader;
  readonly policies: HostPoliciesApi;
  readonly tokens: AccessTokens;
  /**
   * Begins a call that the host runs itself, such as a built-in tool of an agent: decided, approved, checkpointed and recorded like any
   * other. The tool's source marks it `isExternal`.
   */
  begin(tool: ToolReference, args: unknown, options?: BeginOptions): Promise<BeginResult>;
  /** Ends the calls that wait for approval for a limited time as `awaiting-approval`, because the server stops. */
  endApprovalWaits(): void;
  /** Replaces the files that calls may write only with approval. Configurations of Signalbox are always protected. */
  protectFiles(protection: FileProtection): void;
  readonly sessionStore: SessionStore;
  readonly jobStore: JobStore;
  /** The definitions of external servers as they were first seen or accepted. */
  readonly pins: Pins;
  /** The key-value store and the messages that all processes on one store share. */
  readonly shared: Pick<Store, 'keyValues' | 'pubSub'>;
  /** The built-in server, to which a host adds tools that need more than the box; `undefined` when it is disabled. */
  readonly builtin: LocalServer | undefined;
  /** Removes the state that servers stored for a session (`context.state`). */
  endSession(session: string): void;
  /** Redacts JSON text as the journal does: registered values, and text that looks like a secret. It stays valid JSON. */
  redactJson(text: string): string;
  /** Returns how many characters at the end of a text may be the beginning of a secret, for text that arrives in chunks. */
  secretTail(text: string): number;
  /** Records a change of this box's configuration, or a failed attempt. */
  recordConfiguration(change: ConfigurationChange): void;
}

/** Returns the internal interface of a box. Throws for an object that `createSignalbox` did not make. */
export function internalsOf(box: Signalbox): InternalSignalbox {
  if ((box as Partial<InternalSignalbox>).sessionStore !== undefined) return box as InternalSignalbox;
  throw new TypeError('not a box made by createSignalbox');
}
