import { hash } from 'node:crypto';
import type { StoredEntry } from './entry.ts';
import type { ChainHead, Store } from './store.ts';

/**
 * The hash of an entry, over everything in it and the hash before it. Line breaks separate the fields:
 * none of them can contain one (the body is JSON text, where a line break is escaped).
 */
export function linkHash(previous: string, entry: Omit<StoredEntry, 'hash'>): string {
  return hash(
    'sha256',
    `${previous}\n${entry.seq}\n${entry.at}\n${entry.type}\n${entry.call}\n${entry.session}\n${entry.tool}\n${entry.outcome}\n${entry.writer}\n${entry.body}`,
    'hex',
  );
}

const pageBytes = 4 * 1024 * 1024;

/** What `verify` found: an unbroken chain and its head, or the first place where it is broken. */
export type Verification =
  | { readonly ok: true; readonly entries: number; readonly head: ChainHead }
  | { readonly ok: false; readonly entries: number; readonly seq: number; readonly problem: string };

/**
 * Recomputes the whole chain. `expected` is a head noted earlier and kept elsewhere: with it, even a rewritten and
 * re-hashed journal is found out.
 */
export async function verifyChain(
  store: Store,
  options: { expected?: ChainHead; signal?: AbortSignal } = {},
): Promise<Verification> {
  const anchors = [await store.anchor(), ...(options.expected === undefined ? [] : [options.expected])];
  let head: ChainHead = { seq: 0, hash: '' };
  for (;;) {
    options.signal?.throwIfAborted();
    const entries = await store.entries({ order: 'oldest-first', after: head.seq, limit: 2000, bytes: pageBytes });
    for (const entry of entries) {
      const problem = brokenLink(head, entry, anchors);
      if (problem !== undefined) return { ok: false, entries: head.seq, seq: entry.seq, problem };
      head = entry;
    }
    if (entries.length === 0) break;
    // Lets other work of this process go on between pages.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const missing = anchors.find((anchor) => anchor.seq > head.seq);
  if (missing !== undefined) {
    return {
      ok: false,
      entries: head.seq,
      seq: head.seq + 1,
      problem: `entries ${head.seq + 1} to ${missing.seq} are missing at the end`,
    };
  }
  return { ok: true, entries: head.seq, head: { seq: head.seq, hash: head.hash } };
}

function brokenLink(before: ChainHead, entry: StoredEntry, anchors: readonly ChainHead[]): string | undefined {
  if (entry.seq !== before.seq + 1) return `entry ${before.seq + 1} is missing`;
  if (entry.hash !== linkHash(before.hash, entry))
    return `entry ${entry.seq} was changed: its hash does not fit its content and the entry before`;
  if (anchors.some((anchor) => anchor.seq === entry.seq && anchor.hash !== entry.hash)) {
    return `entry ${entry.seq} is not the one that was anchored: entries up to it were rewritten`;
  }
  return undefined;
}
