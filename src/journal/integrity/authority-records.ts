import { hash } from 'node:crypto';
import { isJsonObject } from '../../core/json/json.ts';
import type { EntryDraft } from '../entries/stored-entry.ts';
import type { AuthorityRecord } from '../entries/journal-event.ts';
import type { AuthorityKind } from '../entries/journal-event.ts';
import type { StoredValue, KeyValueChange, KeyValueStore } from '../store/key-value-store.ts';
import type { Store } from '../store/store.ts';
import type { TokenRecord } from '../store/token-store.ts';

/** Returns the authority kind of a key-value kind; `undefined` when its values grant no authority. */
function authorityKindOf(kind: string): Exclude<AuthorityKind, 'token'> | undefined {
  if (kind === 'pin' || kind.startsWith('pin ')) return 'pin';
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
  for (const prefix of ['pin', 'lock', 'sign-in'])
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
  kept?: KeyValueChange,
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
  return kept === undefined ? draft : { ...draft, keyValue: kept };
}

const maxCarried = 500;

/** Writes entries for records whose own entries are pruned or never existed. */
export async function carryAuthority(store: Pick<Store, 'append'>, records: readonly AuthorityRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += maxCarried)
    await store.append([authorityDraft('carried', records.slice(start, start + maxCarried))]);
}

/**
 * Writes entries for the records of a store from an earlier version. Runs once: later, a record without an entry counts as forged.
 */
export async function accountForAuthority(store: Store): Promise<void> {
  if (store.sealer?.hasNoted('accounted') === true) return;
  const records = await authorityRecords(store);
  if (records.length > 0) {
    const found = await store.entries({ order: 'newest-first', type: 'AuthorityChanged', limit: 1 });
    if (found.length === 0) await carryAuthority(store, records);
  }
  store.sealer?.note('accounted');
}

/** A key-value store that writes an entry in the same transaction when a value grants authority. */
export class AuthorityKeyValueStore implements KeyValueStore {
  readonly #rows: KeyValueStore;
  readonly #append: Store['append'];

  constructor(rows: KeyValueStore, append: Store['append']) {
    this.#rows = rows;
    this.#append = append;
  }

  get(kind: string, key: string): Promise<StoredValue | undefined> {
    return this.#rows.get(kind, key);
  }

  list(kind: string): Promise<readonly (StoredValue & { readonly key: string })[]> {
    return this.#rows.list(kind);
  }

  listByPrefix(prefix: string): ReturnType<KeyValueStore['listByPrefix']> {
    return this.#rows.listByPrefix(prefix);
  }

  extend(kind: string, key: string, until: number): Promise<boolean> {
    return this.#rows.extend(kind, key, until);
  }

  async put(kind: string, key: string, kept: StoredValue): Promise<void> {
    const authority = authorityKindOf(kind);
    if (authority === undefined) return await this.#rows.put(kind, key, kept);
    const records = [recordOf(authority, kind, key, kept.text)];
    await this.#append([authorityDraft('stored', records, { change: 'put', kind, key, ...kept })]);
  }

  async add(kind: string, key: string, kept: StoredValue): Promise<StoredValue> {
    const authority = authorityKindOf(kind);
    if (authority === undefined) return await this.#rows.add(kind, key, kept);
    const records = [recordOf(authority, kind, key, kept.text)];
    await this.#append([authorityDraft('stored', records, { change: 'add', kind, key, ...kept })]);
    return (await this.#rows.get(kind, key)) ?? kept;
  }

  async take(kind: string, key: string, until?: number): Promise<boolean> {
    const authority = authorityKindOf(kind);
    const known = authority === undefined ? undefined : await this.#rows.get(kind, key);
    if (authority === undefined || known === undefined) return await this.#rows.take(kind, key, until);
    const records = [recordOf(authority, kind, key, known.text)];
    const [entry] = await this.#append([
      authorityDraft('removed', records, { change: 'take', kind, key, ...(until === undefined ? {} : { until }) }),
    ]);
    return entry !== undefined;
  }
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

function digestOf(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts), 'hex');
}
