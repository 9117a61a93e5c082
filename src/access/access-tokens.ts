import { SignalboxError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
import type { Principal, Role } from '../core/principal.ts';
import type { EntryDraft } from '../journal/entries/stored-entry.ts';
import { tokenDigest } from '../journal/integrity/authority-records.ts';
import type { Journal } from '../journal/journal.ts';
import type { TokenChange, TokenRecord, AccessTokenStore } from '../journal/store/access-token-store.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** An access token without the token itself. */
export interface AccessToken {
  readonly id: string;
  readonly role: Role;
  readonly name?: string;
  /** The catalog profile that restricts its holder. */
  readonly profile?: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** Rounded to the minute. */
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
}

/** The properties of a new token. */
export interface NewAccessToken {
  readonly role: Role;
  /** Only for the role `agent`; other roles see the complete catalog. */
  readonly profile?: string;
  readonly name?: string;
  /** The lifetime of the token; unlimited by default. */
  readonly expiresInMs?: number;
  readonly by: Principal;
}

/** The result of checking a presented token. Only a holder of the complete token learns that it is expired or revoked. */
export type TokenCheck =
  | {
      readonly state: 'active';
      readonly id: string;
      readonly role: Role;
      readonly profile?: string;
      readonly name?: string;
    }
  | { readonly state: 'wrong' | 'expired' | 'revoked' };

/** A token that was just created: the only place where the token itself appears. */
export interface CreatedAccessToken extends AccessToken {
  readonly token: string;
}

/** The access tokens for programs. */
export interface TokensApi {
  /** Creates a token. Only its hash is stored. */
  create(request: NewAccessToken): Promise<CreatedAccessToken>;
  /** Returns all tokens, newest first, including expired and revoked ones. */
  list(): Promise<readonly AccessToken[]>;
  /** Returns the token with an id, even if expired or revoked; `undefined` when there is none. */
  find(id: string): Promise<AccessToken | undefined>;
  /** Revokes a token, immediately and permanently. Rejects with `token-unknown` when it does not exist or is already revoked. */
  revoke(id: string, options: { readonly by: Principal }): Promise<AccessToken>;
}

const minUseIntervalMs = 60_000;
const maxLifetimeMs = 10 * 365 * 86_400_000;
const maxNameLength = 100;
const maxListed = 1000;

/** Creates, checks and revokes the access tokens of programs. A token is shown once, on creation; only its hash is stored. */
export class AccessTokens implements TokensApi {
  readonly #store: AccessTokenStore;
  readonly #journal: Journal;
  readonly #redactor: Redactor;
  readonly #now: () => number;
  #revocations = 0;

  constructor(store: AccessTokenStore, journal: Journal, redactor: Redactor, now: () => number = Date.now) {
    this.#store = store;
    this.#journal = journal;
    this.#redactor = redactor;
    this.#now = now;
  }

  /** The number of tokens that this process has revoked. When it changes, cached checks are outdated. */
  get revocations(): number {
    return this.#revocations;
  }

  /** Creates a token. The result is the only place where the token itself appears. */
  async create(request: NewAccessToken): Promise<CreatedAccessToken> {
    assertCanCreate(request);
    const { role, profile = '', name = '', expiresInMs, by } = request;
    const { id, text, hash: tokenHash } = generateToken();
    const createdAt = this.#now();
    const expiresAt = expiresInMs === undefined ? 0 : createdAt + expiresInMs;
    const times = { createdAt, expiresAt, lastUsedAt: 0, revokedAt: 0 };
    const record: TokenRecord = { id, hash: tokenHash, role, profile, name, ...times };
    const created = toAccessToken(record, createdAt);
    const facts = {
      tokenId: id,
      role,
      name: created.name,
      profile: created.profile,
      expiresAt: created.expiresAt,
      by,
      digest: tokenDigest(record),
    };
    if (!(await this.#record('TokenCreated', facts, { kind: 'create', record })))
      throw new SignalboxError('token-invalid', 'the id of the new token was taken; create the token again');
    return { token: text, ...created };
  }

  /** Returns all tokens, newest first, including expired and revoked ones. */
  async list(): Promise<readonly AccessToken[]> {
    const now = this.#now();
    return (await this.#store.list({ limit: maxListed })).map((record) => toAccessToken(record, now));
  }

  /** Revokes a token, immediately and permanently. */
  async revoke(id: string, { by }: { readonly by: Principal }): Promise<AccessToken> {
    const record = await this.#store.find(id);
    if (record === undefined) throw new SignalboxError('token-unknown', `there is no token ${JSON.stringify(id)}`);
    const revokedAt = this.#now();
    const change = { kind: 'revoke', id, at: revokedAt } as const;
    if (!(await this.#record('TokenRevoked', { tokenId: id, role: record.role, by }, change)))
      throw new SignalboxError('token-unknown', `the token ${id} is already revoked`);
    this.#revocations += 1;
    return toAccessToken({ ...record, revokedAt }, revokedAt);
  }

  /** Checks whether a presented token is valid now. */
  async check(presented: string): Promise<TokenCheck> {
    const id = parseTokenId(presented);
    const record = id === undefined ? undefined : await this.#store.find(id);
    if (!matchesHash(presented, record?.hash) || record === undefined) return { state: 'wrong' };
    const now = this.#now();
    const state = stateOf(record, now);
    if (state !== 'active') return { state };
    if (now - record.lastUsedAt >= minUseIntervalMs) this.#used(record.id, now);
    const { role, profile, name } = record;
    return omitUndefined({ state, id: record.id, role, profile: profile || undefined, name: name || undefined });
  }

  /** Returns the token with an id, even if expired or revoked; `undefined` when there is none. */
  async find(id: string): Promise<AccessToken | undefined> {
    const record = await this.#store.find(id);
    return record === undefined ? undefined : toAccessToken(record, this.#now());
  }

  /** Returns whether a token is still active. */
  async isActive(id: string): Promise<boolean> {
    return (await this.find(id))?.state === 'active';
  }

  /** Records a use without waiting for it, and ignores errors, because they must not block access. */
  #used(id: string, at: number): void {
    this.#store.used(id, at).catch(() => undefined);
  }

  async #record(type: EntryDraft['type'], facts: object, token: TokenChange): Promise<boolean> {
    const body = this.#redactor.json(JSON.stringify(facts));
    const draft = { type, at: this.#now(), call: '', session: '', tool: '', outcome: '', body, token } as const;
    return (await this.#journal.append(draft, 'power-loss')) !== undefined;
  }
}

function assertCanCreate({ role, profile, name, expiresInMs, by }: NewAccessToken): void {
  const reject = (what: string): never => {
    throw new SignalboxError('token-invalid', what);
  };
  if (by.kind === 'agent') reject(`only humans can create tokens, and ${JSON.stringify(by.id)} is not one`);
  if (profile !== undefined && role !== 'agent')
    reject(`a profile restricts only tokens with the role agent; ${role} sees everything`);
  if (profile === '') reject('the name of the profile is empty');
  if (name !== undefined && !isName(name)) reject(`a name has 1 to ${maxNameLength} visible characters`);
  if (expiresInMs !== undefined && !(expiresInMs >= 1000 && expiresInMs <= maxLifetimeMs))
    reject(
      'a token expires after at least 1 second and at most 10 years; omit the time for a token that does not expire',
    );
}

function isName(name: string): boolean {
  return name.length <= maxNameLength && /^\P{C}+$/u.test(name);
}

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: number): AccessToken['state'] {
  if (revokedAt !== 0) return 'revoked';
  return expiresAt !== 0 && expiresAt <= now ? 'expired' : 'active';
}

function toAccessToken(record: TokenRecord, now: number): AccessToken {
  const { id, role, name, profile } = record;
  const toIso = (time: number): string | undefined => (time === 0 ? undefined : new Date(time).toISOString());
  return omitUndefined({
    id,
    role,
    name: name || undefined,
    profile: profile || undefined,
    state: stateOf(record, now),
    createdAt: new Date(record.createdAt).toISOString(),
    expiresAt: toIso(record.expiresAt),
    lastUsedAt: toIso(record.lastUsedAt),
    revokedAt: toIso(record.revokedAt),
  });
}

/** The format of a token: `sbx_`, the id without its first word, and 256 random bits. */
const tokenFormat = /^sbx_([0-9a-z]{19})_[A-Za-z0-9_-]{43}$/;
const noHash = '0'.repeat(64);

/** Generates a token with its id and its hash. */
function generateToken(): { readonly id: string; readonly text: string; readonly hash: string } {
  const id = newId('tok');
  const text = `sbx_${id.slice('tok_'.length)}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashOf(text) };
}

/** Returns the id that a token contains, unverified; `undefined` when the text does not have the format of a token. */
export function parseTokenId(token: string): string | undefined {
  const [, id] = tokenFormat.exec(token) ?? [];
  return id === undefined ? undefined : `tok_${id}`;
}

/** Compares the hash of a token in constant time. Without an expected hash, takes the same time and returns false. */
function matchesHash(token: string, expected = noHash): boolean {
  return timingSafeEqual(Buffer.from(hashOf(token), 'hex'), Buffer.from(expected, 'hex'));
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
