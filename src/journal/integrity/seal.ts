import { timingSafeEqual } from 'node:crypto';
import type { Beginning } from '../store/drop-request.ts';

/** The position and hash of an entry. */
type ChainHead = Pick<Beginning, 'seq' | 'hash'>;

/**
 * A note that every record that grants authority has an entry: without pins (older versions), or with pins; or every approval and rule of
 * a pruned journal.
 */
export type SealerNote = 'accounted' | 'accounted-pins' | 'accounted-approvals';

/** Signs heads of the chain with a key that is not in the store. */
export interface Sealer {
  /** A fingerprint of the key. */
  readonly key: string;
  /** Returns the MAC of a text, in hexadecimal. */
  sign(text: string): string;
  /** Returns whether this key has sealed the store before. If so, its seal must exist. */
  hasSealed(): boolean;
  /** Records, outside the store, that this key has sealed it. */
  noteSealed(): void;
  /** Returns whether a note about the store and this key was recorded outside the store. */
  hasNoted(what: SealerNote): boolean;
  note(what: SealerNote): void;
}

/** A signed statement of the journal's head and beginning. A store has one for each key. */
export interface Seal {
  readonly key: string;
  readonly seq: number;
  readonly hash: string;
  /** The last entry that was pruned; 0 while the journal is complete. */
  readonly beginning: number;
  readonly beginningHash: string;
  readonly mac: string;
}

/** The state of a store before its seal is advanced. */
export interface SealPlace {
  /** The seal of the key in the store. */
  readonly known: Seal | undefined;
  /** The hash of the entry at the position of the known seal. */
  readonly hashAtKnown: string | undefined;
  readonly beginning: ChainHead;
}

/** Returns a seal for a head. */
function newSeal(sealer: Sealer, { seq, hash }: ChainHead, beginning: ChainHead): Seal {
  const facts = { key: sealer.key, seq, hash, beginning: beginning.seq, beginningHash: beginning.hash };
  const text = textOf(facts);
  const mac = sealer.sign(text);
  lastMacs.set(sealer, { text, mac });
  return { ...facts, mac };
}

/** The last MAC of this process, by sealer, so that a seal that was just written need not be computed again. */
const lastMacs = new WeakMap<Sealer, { readonly text: string; readonly mac: string }>();

/** Returns whether a seal was made with this key. */
export function isGenuine(sealer: Sealer, seal: Seal): boolean {
  const last = lastMacs.get(sealer);
  if (last !== undefined && last.mac === seal.mac && seal.key === sealer.key && last.text === textOf(seal)) return true;
  const [found, expected] = [Buffer.from(seal.mac), Buffer.from(sealer.sign(textOf(seal)))];
  return seal.key === sealer.key && found.length === expected.length && timingSafeEqual(found, expected);
}

/**
 * Returns the seal for a newer head; `undefined` when the journal does not continue from the sealed head. The old seal then stays, so
 * that `verify` detects the problem: a new seal would conceal removed or rewritten entries.
 */
export function advancedSeal(sealer: Sealer, head: ChainHead, place: SealPlace): Seal | undefined {
  const { known, hashAtKnown, beginning } = place;
  if (known === undefined) return sealer.hasSealed() ? undefined : newSeal(sealer, head, beginning);
  if (head.seq <= known.seq || hashAtKnown !== known.hash || !isGenuine(sealer, known)) return undefined;
  return newSeal(sealer, head, { seq: known.beginning, hash: known.beginningHash });
}

/** Returns the seal after entries were pruned from the front; `undefined` when the sealed beginning differs from the previous one. */
export function prunedSeal(sealer: Sealer, known: Seal, from: ChainHead, to: ChainHead): Seal | undefined {
  if (known.beginning !== from.seq || known.beginningHash !== from.hash || !isGenuine(sealer, known)) return undefined;
  return newSeal(sealer, known, to);
}

function textOf({ seq, hash, beginning, beginningHash }: Omit<Seal, 'mac'>): string {
  return `signalbox journal seal\n${seq}\n${hash}\n${beginning}\n${beginningHash}`;
}
