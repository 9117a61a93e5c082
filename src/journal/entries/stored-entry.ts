import type { ArgumentFacts } from '../../core/calls/argument-facts.ts';
import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import type { ApprovalChange } from '../store/approval-store.ts';
import type { KeyValueChange } from '../store/key-value-store.ts';
import type { TokenChange } from '../store/access-token-store.ts';
import type { JournalEvent } from './journal-event.ts';

/** The types of entries. `CallStarted` is the intent, `ToolInvoked` the single outcome of every call. */
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

/** An entry before it is appended to the journal and linked into the hash chain. */
export interface EntryDraft {
  readonly type: EntryType;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly call: string;
  readonly session: string;
  readonly tool: string;
  readonly outcome: OutcomeName | '';
  /** All other properties, as JSON text without secrets. */
  readonly body: string;
  /** Claims an idempotency key. The entry is not written when the key is taken. */
  readonly claim?: { readonly key: string; readonly fingerprint: string };
  /** The complete outcome as JSON text, when the entry alone is not enough for a replay. Not part of the hash chain. */
  readonly recording?: string;
  /** The outcome to store for later calls with the same idempotency key. */
  readonly settle?: { readonly key: string; readonly outcome: string };
  /** A change to an approval, in the same transaction. */
  readonly approval?: ApprovalChange;
  /** A change to an access token, in the same transaction. */
  readonly token?: TokenChange;
  /** A change to the key-value store, in the same transaction. */
  readonly keyValue?: KeyValueChange;
}

/** An entry in the journal. Text columns are empty when they do not apply. */
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
 * Adds facts about the arguments to the body of an entry. They are exempt from redaction, because a budget must count an amount that
 * looks like a secret, and are not shown to readers.
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

/** Converts a stored entry to the event that readers see. */
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

/** Returns the total size of the bodies of entries in bytes. */
export function bodyBytes(entries: readonly Pick<StoredEntry, 'body'>[]): number {
  let bytes = 0;
  for (const { body } of entries) bytes += Buffer.byteLength(body);
  return bytes;
}
