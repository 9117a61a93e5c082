import type { ProfilesByName } from '../catalog/profile.ts';
import type { ResultLimits, Source } from '../catalog/source/source.ts';
import type { Approve } from '../core/calls/approval.ts';
import type { Store } from '../journal/store/store.ts';
import type { PolicySource } from '../pipeline/policies/compile-policies.ts';
import type { CallMetrics } from '../pipeline/stages/observe.ts';
import type { CheckpointOptions } from '../workspace/checkpoints.ts';

/** Options of `createSignalbox`. Everything has a default. */
export interface SignalboxOptions {
  /** The servers to mount, for instance made by `localServer`. */
  readonly servers?: readonly Source[];
  /** The directory of the journal file `signalbox.db`. Without it, the journal is in memory and lost when the process ends. */
  readonly data?: string;
  /** The passphrase of the key that seals the journal, as `SIGNALBOX_JOURNAL_KEY` of the server. Default: the key in `journal.key` of `data`. */
  readonly journalKey?: string;
  /**
   * The store for all records, for instance a `postgresStore`. `data` then contains only the state of this machine. The box
   * closes the store.
   */
  readonly store?: Store;
  /**
   * Asks a human about a call that needs approval. Other humans can answer too, through `approvals` or `signalbox approve`: the
   * first answer wins. Without `approve`, `data` and `store`, such calls are denied.
   */
  readonly approve?: Approve;
  /** Rules and code that decide calls: `deny` beats `ask` beats `allow`. Without any, reads run and all other calls ask. */
  readonly policies?: readonly PolicySource[];
  /** Named views of the catalog, for clients that should not see all of it. */
  readonly profiles?: ProfilesByName;
  /** The time after which an unanswered question, or an answer without its call, expires (2 h). */
  readonly approvals?: { readonly expireAfterMs?: number };
  /**
   * Separates pinned definitions: servers of the same name in another scope are other servers. For hosts that open several boxes on the
   * same data.
   */
  readonly pinScope?: string;
  /** Values that must never be recorded, by the name that replaces them. */
  readonly secrets?: Readonly<Record<string, string>>;
  /**
   * Results larger than `maxBytes` (256 KB), or with a picture, sound or file larger than `maxMediaBytes` (5 MB), are stored whole
   * and returned shortened; `keepBytes` is the largest size that is stored (64 MB). Servers and tools may have limits of their own.
   */
  readonly results?: ResultLimits & { readonly keepBytes?: number };
  /** Limits of the stored state for undo: size and retention. */
  readonly undo?: CheckpointOptions;
  /** The default timeout of a tool call when neither the tool nor its server sets one (60 s). */
  readonly timeoutMs?: number;
  /** The default maximum of concurrent calls per server (64). */
  readonly concurrency?: number;
  /** The time for which `tools/list` waits for starting servers, counted from their start (8 s). */
  readonly startup?: { readonly waitMs?: number };
  /** Metrics that count and time calls. */
  readonly metrics?: CallMetrics;
  /** Also puts arguments and results on OpenTelemetry spans, redacted. */
  readonly traceContent?: boolean;
  /** Stores the full results of the calls of a session, for `replay` (default `true`). */
  readonly record?: boolean;
  /** The built-in server: its name (`signalbox`), and the port on which the host listens; `false` disables it. */
  readonly builtin?: false | { readonly name?: string; readonly port?: number };
}
