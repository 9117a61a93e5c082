import type { ArgumentFacts } from '../../core/calls/argument-facts.ts';
import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import type { ApprovalChange } from '../store/approval-store.ts';
import type { KeyValueChange } from '../store/key-value-store.ts';
import type { TokenChange } from '../store/token-store.ts';
import type { JournalEvent } from './journal-event.ts';

/** What the journal records. `CallStarted` is the intent, `ToolInvoked` the one outcome of every call. */
export type EntryType =
  | 'CallStarted'
  | 'ToolInvoked'
  | 'ServerChanged'
  | 'ConfigurationChanged'
  | 'ContentRead'
  | 'ApprovalRequested'
  | 'ApprovalRevealed'
  | 'ApprovalResolved'
  | 'RuleRevoked'
  | 'CallSettled'
  | 'UndoStarted'
  | 'Undone'
  | 'TokenCreated'
  | 'TokenRevoked'
  | 'AuthorityChanged';

/** An entry on its way into the journal, before it has its place in the chain. */
export interface EntryDraft {
  readonly type: EntryType;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly call: string;
  readonly session: string;
  readonly tool: string;
  readonly outcome: OutcomeName | '';
  /** Everything else, as JSON text without secrets. */
  readonly body: string;
  /** An intent that takes an idempotency key; it is not written when the key is taken. */
  readonly claim?: { readonly key: string; readonly fingerprint: string };
  /** The whole outcome as JSON text, where the entry alone could not be replayed. Not part of the chain. */
  readonly recording?: string;
  /** An outcome that is kept for later calls with the same idempotency key. */
  readonly settle?: { readonly key: string; readonly outcome: string };
  /** What happens to an approval with it. */
  readonly approval?: ApprovalChange;
  /** What happens to an access token with it. */
  readonly token?: TokenChange;
  /** What happens to something small with it. */
  readonly keyValue?: KeyValueChange;
}

/** An entry as it stands in the journal. Text columns are empty where they do not apply. */
export interface StoredEntry {
  readonly seq: number;
  readonly at: number;
  readonly type: EntryType;
  readonly call: string;
  readonly session: string;
  readonly tool: string;
  readonly outcome: OutcomeName | '';
  /** The process that wrote it. */
  readonly writer: string;
  readonly body: string;
  readonly hash: string;
}

/**
 * Adds facts of the arguments to the body of an entry. They are exempt from redaction and not shown to readers: a budget must count
 * an amount that looks like a secret.
 */
export function withCounted(body: string, counted: ArgumentFacts): string {
  if (!body.startsWith('{"')) return body;
  return `${body.slice(0, -1)},"counted":${JSON.stringify(counted)}}`;
}

/** Returns the facts that `withCounted` added to an entry. */
export function countedIn({ body }: StoredEntry): ArgumentFacts | undefined {
  if (!body.includes('"counted":')) return undefined;
  return (JSON.parse(body) as { readonly counted?: ArgumentFacts }).counted;
}

/** Turns a stored entry into what readers see. */
export function toEvent(entry: StoredEntry): JournalEvent {
  const { counted: _, ...body } = JSON.parse(entry.body) as { readonly counted?: unknown };
  return {
    seq: entry.seq,
    at: new Date(entry.at).toISOString(),
    type: entry.type,
    ...(entry.call === '' ? {} : { callId: entry.call }),
    ...(entry.session === '' ? {} : { sessionId: entry.session }),
    ...(entry.tool === '' ? {} : { tool: entry.tool }),
    ...(entry.outcome === '' ? {} : { outcome: entry.outcome }),
    ...body,
    hash: entry.hash,
  } as JournalEvent;
}

/** How many bytes the bodies of entries have together. */
export function bodyBytes(entries: readonly Pick<StoredEntry, 'body'>[]): number {
  let bytes = 0;
  for (const { body } of entries) bytes += Buffer.byteLength(body);
  return bytes;
}
