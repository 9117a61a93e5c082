import { isJsonObject } from '../../core/json/json.ts';
import { authorityRecords, tokenRecordId } from './authority-records.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import type { AuthorityRecord } from '../entries/journal-event.ts';
import type { JournalFault } from './hash-chain.ts';
import type { Store } from '../store/store.ts';

/** The description of a record in an entry. */
interface Accounted extends Omit<AuthorityRecord, 'digest'> {
  readonly seq: number;
  /** Absent when an earlier version wrote the entry. */
  readonly digest?: string;
  readonly isRemoved?: true;
}

const names: Readonly<Record<AuthorityRecord['kind'], string>> = {
  pin: 'pinned definitions of server',
  lock: 'accepted lock of server',
  'sign-in': 'browser sign-in of',
  'sign-in-link': 'sign-in link for',
  token: 'access token',
};

/** Collects the authority records in the entries of a journal, and compares the stored records with them. */
export class AuthorityHistory {
  readonly #accounted = new Map<string, Accounted>();
  /** The records carried over from pruned entries. Entries that still exist take precedence. */
  readonly #carried = new Map<string, Accounted>();
  /** Whether the entries cover every kind of record. Those of earlier versions do not. */
  #hasAccounts = false;

  /** Adds the next entry. */
  add({ type, seq, body }: StoredEntry): void {
    if (type === 'AuthorityChanged') this.#addChange(seq, body);
    else if (type === 'TokenCreated' || type === 'TokenRevoked') this.#addToken(seq, type, body);
  }

  #addChange(seq: number, body: string): void {
    const { change, records } = JSON.parse(body) as { change: string; records: readonly AuthorityRecord[] };
    for (const record of records) {
      this.#hasAccounts = true;
      if (change === 'carried') this.#carried.set(record.id, { ...record, seq });
      // A removal of a record that no entry stored is tracked without a digest, so that `check` detects it.
      else if (change === 'stored') this.#accounted.set(record.id, { ...record, seq });
      else {
        const { digest, ...known } = this.#accounted.get(record.id) ?? { ...record, digest: undefined };
        this.#accounted.set(record.id, { ...known, ...(digest === undefined ? {} : { digest }), seq, isRemoved: true });
      }
    }
  }

  #addToken(seq: number, type: 'TokenCreated' | 'TokenRevoked', body: string): void {
    const parsed: unknown = JSON.parse(body);
    if (!isJsonObject(parsed)) return;
    const { tokenId: name, digest } = parsed;
    if (typeof name !== 'string') return;
    const id = tokenRecordId(name);
    const known = this.#accounted.get(id);
    if (type === 'TokenRevoked') {
      this.#accounted.set(id, { kind: 'token', name, id, ...known, seq, isRevoked: true });
      return;
    }
    if (typeof digest === 'string') this.#hasAccounts = true;
    this.#accounted.set(id, { kind: 'token', name, id, seq, ...(typeof digest === 'string' ? { digest } : {}) });
  }

  /** Returns the known records, to be carried over when their entries are pruned. */
  records(): AuthorityRecord[] {
    return [...new Set([...this.#carried.keys(), ...this.#accounted.keys()])].flatMap((id) => {
      const { kind, name, digest, isRevoked, isRemoved } = this.#state(id) ?? {};
      if (kind === undefined || name === undefined || digest === undefined || isRemoved === true) return [];
      return [{ kind, name, id, digest, ...(isRevoked === true ? { isRevoked } : {}) }];
    });
  }

  /**
   * Compares the stored records with the entries. In records of an earlier version only tokens have entries, or everything except pins,
   * until this version opens them.
   */
  async check(store: Pick<Store, 'keyValues' | 'tokens' | 'sealer'>, head: number): Promise<JournalFault | undefined> {
    const stored = new Map((await authorityRecords(store)).map((record) => [record.id, record]));
    const { sealer } = store;
    const isOlder = !this.#hasAccounts && sealer?.hasNoted('accounted') !== true;
    const hasPinAccounts =
      sealer?.hasNoted('accounted') === true
        ? sealer.hasNoted('accounted-pins')
        : [...stored.values()].some(({ kind, id }) => kind === 'pin' && this.#state(id) !== undefined);
    for (const record of stored.values()) {
      const known = this.#state(record.id);
      if (known === undefined) {
        const isAccountedFor = !isOlder && (record.kind !== 'pin' || hasPinAccounts);
        if (isAccountedFor)
          return { seq: head, problem: `the ${describe(record)} has no journal entry: it was forged` };
      } else {
        const wrong = difference(record, known);
        if (wrong !== undefined) return { seq: known.seq, problem: `the ${describe(record)} ${wrong}` };
      }
    }
    for (const id of new Set([...this.#accounted.keys(), ...this.#carried.keys()])) {
      const known = this.#state(id);
      if (known === undefined) continue;
      if (known.isRemoved === true && known.digest === undefined)
        return {
          seq: known.seq,
          problem: `the ${describe(known)} was used, and no entry records who created it: it was forged`,
        };
      // Sign-ins expire.
      const isLasting = known.kind !== 'sign-in' && known.kind !== 'sign-in-link';
      if (isLasting && known.isRemoved !== true && !stored.has(id))
        return { seq: known.seq, problem: `the ${describe(known)} was removed without an entry` };
    }
    return undefined;
  }

  /** Returns the state of a record. An entry of an earlier version has no digest; the entry that was carried over later has one. */
  #state(id: string): Accounted | undefined {
    const [known, carried] = [this.#accounted.get(id), this.#carried.get(id)];
    return known === undefined
      ? carried
      : { ...(carried?.digest === undefined ? {} : { digest: carried.digest }), ...known };
  }
}

function difference(record: AuthorityRecord, known: Accounted): string | undefined {
  if (known.isRemoved === true) return 'was removed, and exists again';
  if (known.isRevoked === true && record.isRevoked !== true) return 'was revoked, and is in force again';
  if (known.isRevoked !== true && record.isRevoked === true) return 'was revoked without an entry';
  return known.digest === undefined || known.digest === record.digest
    ? undefined
    : 'was changed: it does not match its entry';
}

function describe({ kind, name }: Pick<AuthorityRecord, 'kind' | 'name'>): string {
  return `${names[kind]} ${JSON.stringify(name)}`;
}
