import type { ProfilesByName } from '../catalog/profile.ts';
import type { ResultLimits, Source } from '../catalog/source/source.ts';
import type { Approve } from '../core/calls/approval.ts';
import type { Store } from '../journal/store/store.ts';
import type { PolicySource } from '../pipeline/policies/compile-policies.ts';
import type { CallMetrics } from '../pipeline/recording/telemetry.ts';
import type { CheckpointOptions } from '../workspace/checkpoints.ts';

/** Options of `createSignalbox`. Everything has a default. */
export interface SignalboxOptions {
  /** The servers to mount, for instance made by `localServer`. */
  readonly servers?: readonly Source[];
  /** The directory the journal is kept in, as `signalbox.db`. Without it the journal lives in memory and is gone with the process. */
  readonly data?: string;
  /** The passphrase of the key that seals the journal, as `SIGNALBOX_JOURNAL_KEY` of the server. Default: the key in `journal.key` of `data`. */
  readonly journalKey?: string;
  /** Where records are kept instead, for instance a `postgresStore`; `data` then keeps what is of this machine alone. The box closes it. */
  readonly store?: Store;
  /**
   * Asks a human about a call that policy wants asked. Others may answer too, through `approvals` or `signalbox approve`: the
   * first answer wins. With nobody to ask, no `data` and no `store`, such calls are denied.
   */
  readonly approve?: Approve;
  /** Rules and code that decide calls: `deny` beats `ask` beats `allow`. Without any, reads run and everything else asks. */
  readonly policies?: readonly PolicySource[];
  /** Named views of the catalog, for clients that should not see all of it. */
  readonly profiles?: ProfilesByName;
  /** How long a question waits for its answer, and an answer for its call (2 h). */
  readonly approvals?: { readonly expireAfterMs?: number };
  /**
   * Separates pinned definitions: servers of the same name in another scope are other servers. For hosts that open several boxes on the
   * same data.
   */
  readonly pinScope?: string;
  /** Values that must never be recorded, by a name that stands in their place. */
  readonly secrets?: Readonly<Record<string, string>>;
  /**
   * Results larger than `maxBytes` (256 KB), or with a picture, sound or file larger than `maxMediaBytes` (5 MB), are stored whole
   * and returned shortened; `keepBytes` is the largest size that is stored (64 MB). Servers and tools may have limits of their own.
   */
  readonly results?: ResultLimits & { readonly keepBytes?: number };
  /** How much is kept so that calls can be undone, and for how long. */
  readonly undo?: CheckpointOptions;
  /** How long a tool may run where neither it nor its server says (60 s). */
  readonly timeoutMs?: number;
  /** How many calls a server gets at a time where it does not say (64). */
  readonly concurrency?: number;
  /** How long `tools/list` waits for starting servers, counted from their start (8 s). */
  readonly startup?: { readonly waitMs?: number };
  /** Counts and times calls. */
  readonly metrics?: CallMetrics;
  /** Also puts arguments and results on OpenTelemetry spans, redacted. */
  readonly traceContent?: boolean;
  /** Keeps whole what the calls of a session came to, for `replay` (as it is unless this says `false`). */
  readonly record?: boolean;
  /** The built-in server: its name (`signalbox`), and the port the host listens on; `false` leaves it out. */
  readonly builtin?: false | { readonly name?: string; readonly port?: number };
}
