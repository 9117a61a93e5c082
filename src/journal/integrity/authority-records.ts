import { isJsonObject } from '../../core/json/json.ts';
import type { EntryDraft } from '../entries/stored-entry.ts';
import { accountForApprovals } from './carried-approvals.ts';
import { digestOf } from './hash-chain.ts';
import type { AuthorityKind, AuthorityRecord } from '../entries/journal-event.ts';
import type { KeyValueChange } from '../store/key-value-store.ts';
import type { Store } from '../store/store.ts';
import type { TokenRecord } from '../store/access-token-store.ts';

/** The key-value kind of pinned definitions. With a scope, the kind is this word, a space and the scope. */
export const pinKind = 'definitions';
/** Earlier versions stored pins under another kind. Their entries still account for the rows. */
const pinKinds = [pinKind, 'pin'];

/** Returns the authority kind of a key-value kind; `undefined` when its values grant no authority. */
export function authorityKindOf(kind: string): Exclude<AuthorityKind, 'token'> | undefined {
  if (pinKinds.some((each) => kind === each || kind.startsWith(`${each} `))) return 'pin';
  if (kind === 'sign-in-code') return 'sign-in-link';
  return kind === 'lock' || kind === 'sign-in' ? kind : undefined;
}

/** Returns the digest of an access token, without the properties that change during its use. */
export function tokenDigest({ id, hash: text, role, profile, name, createdAt, expiresAt }: TokenRecord): string {
  return digestOf([id, text, role, profile, name, createdAt, expiresAt]);
}

/** Returns the id of an access token in authority records. */
export function tokenRecordId(id: string): string {
  return digestOf(['token', id]);
}

function recordOf(authority: AuthorityKind, kind: string, key: string, text: string): AuthorityRecord {
  const name = authority === 'pin' || authority === 'lock' ? key : personIn(text);
  return { kind: authority, name, id: digestOf([kind, key]), digest: digestOf([kind, key, text]) };
}

/** Returns every stored record that grants authority. */
export async function authorityRecords({
  keyValues,
  tokens,
}: Pick<Store, 'keyValues' | 'tokens'>): Promise<AuthorityRecord[]> {
  const records: AuthorityRecord[] = [];
  for (const prefix of [...pinKinds, 'lock', 'sign-in'])
    for (const { kind, key, text } of await keyValues.listByPrefix(prefix)) {
      const authority = authorityKindOf(kind);
      if (authority !== undefined) records.push(recordOf(authority, kind, key, text));
    }
  for (const token of await tokens.list({ limit: Number.MAX_SAFE_INTEGER })) records.push(recordOfToken(token));
  return records;
}

function recordOfToken(token: TokenRecord): AuthorityRecord {
  const { id, revokedAt } = token;
  const record = { kind: 'token', name: id, id: tokenRecordId(id), digest: tokenDigest(token) } as const;
  return revokedAt === 0 ? record : { ...record, isRevoked: true };
}

/** Returns the entry for records that are stored or removed with it, or whose entries are about to be pruned. */
function authorityDraft(
  change: 'stored' | 'removed' | 'carried',
  records: readonly AuthorityRecord[],
  keyValue?: KeyValueChange,
): EntryDraft {
  const body = JSON.stringify({ change, records });
  const draft = {
    type: 'AuthorityChanged',
    at: Date.now(),
    call: '',
    session: '',
    tool: '',
    outcome: '',
    body,
  } as const;
  return keyValue === undefined ? draft : { ...draft, keyValue };
}

const maxCarried = 500;

/** Writes entries for records whose own entries are pruned or never existed. */
export async function copyAuthorityRecords(
  store: Pick<Store, 'append'>,
  records: readonly AuthorityRecord[],
): Promise<void> {
  for (let start = 0; start < records.length; start += maxCarried)
    await store.append([authorityDraft('carried', records.slice(start, start + maxCarried))]);
}

/**
 * Writes entries for the records of a store from an earlier version. Runs once: later, a record without an entry counts as forged.
 * An intermediate version wrote entries for everything except pins, so pins have a separate note.
 */
export async function accountForAuthority(store: Store): Promise<void> {
  const { sealer } = store;
  await accountForApprovals(store);
  if (sealer?.hasNoted('accounted-pins') === true) return;
  const records = await authorityRecords(store);
  if (records.length > 0) {
    const accounted = await accountedIds(store);
    if (accounted.size === 0) await copyAuthorityRecords(store, records);
    else {
      const pins = records.filter(({ kind }) => kind === 'pin');
      const missing = pins.filter(({ id }) => !accounted.has(id));
      // A machine that joins a shared store writes no entries when others already did.
      const isUpgrade = sealer?.hasNoted('accounted') === true || missing.length === pins.length;
      if (isUpgrade) await copyAuthorityRecords(store, missing);
    }
  }
  sealer?.note('accounted');
  sealer?.note('accounted-pins');
}

async function accountedIds(store: Pick<Store, 'entries'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let after = 0;
  for (;;) {
    const limit = maxCarried;
    const page = await store.entries({ order: 'oldest-first', type: 'AuthorityChanged', after, limit });
    for (const { seq, body } of page) {
      after = seq;
      for (const { id } of (JSON.parse(body) as { records: readonly AuthorityRecord[] }).records) ids.add(id);
    }
    if (page.length < limit) return ids;
  }
}

/**
 * Returns the entry with which a value is stored or removed, in the same transaction; `undefined` when the value grants no authority.
 * `text` is the value.
 */
export function authorityEntry(keyValue: KeyValueChange, text: string): EntryDraft | undefined {
  const { change, kind, key } = keyValue;
  const authority = authorityKindOf(kind);
  if (authority === undefined) return undefined;
  return authorityDraft(change === 'take' ? 'removed' : 'stored', [recordOf(authority, kind, key, text)], keyValue);
}

function personIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const person = isJsonObject(parsed) ? (parsed['person'] ?? parsed) : undefined;
    return isJsonObject(person) && typeof person['id'] === 'string' ? person['id'] : '';
  } catch {
    return '';
  }
}
