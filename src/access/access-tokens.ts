import { SignalboxError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import type { Principal, Role } from '../core/principal.ts';
import type { EntryDraft } from '../journal/entries/stored-entry.ts';
import { tokenDigest } from '../journal/integrity/authority-records.ts';
import type { Journal } from '../journal/journal.ts';
import type { TokenChange, TokenRecord, TokenStore } from '../journal/store/token-store.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** An access token without the token itself. */
export interface AccessToken {
  readonly id: string;
  readonly role: Role;
  readonly name?: string;
  /** The view of the catalog that its holder is bound to. */
  readonly profile?: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** To the minute. */
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
}

/** What a new token is to be. */
export interface NewAccessToken {
  readonly role: Role;
  /** Only for the role `agent`: the others see everything. */
  readonly profile?: string;
  readonly name?: string;
  /** Good for good unless said otherwise. */
  readonly expiresInMs?: number;
  readonly by: Principal;
}

/** What came of looking at a presented token. Only who has the whole token learns that it was one. */
export type TokenCheck =
  | {
      readonly state: 'active';
      readonly id: string;
      readonly role: Role;
      readonly profile?: string;
      readonly name?: string;
    }
  | { readonly state: 'wrong' | 'expired' | 'revoked' };

const usedEveryMs = 60_000;
const longestLife = 10 * 365 * 86_400_000;
const longestName = 100;
const mostListed = 1000;

/** The tokens that let programs in. Each is shown once, when it is made; after that only its hash is known. */
export class AccessTokens {
  readonly #store: TokenStore;
  readonly #journal: Journal;
  readonly #redactor: Redactor;
  readonly #now: () => number;
  #revocations = 0;

  constructor(store: TokenStore, journal: Journal, redactor: Redactor, now: () => number = Date.now) {
    this.#store = store;
    this.#journal = journal;
    this.#redactor = redactor;
    this.#now = now;
  }

  /** How many tokens this process has revoked: who was recognised before the last of them has to be looked at again. */
  get revocations(): number {
    return this.#revocations;
  }

  /** Makes a token. The answer is the only place where it ever stands. */
  async create(request: NewAccessToken): Promise<AccessToken & { readonly token: string }> {
    assertMakeable(request);
    const { role, profile = '', name = '', expiresInMs, by } = request;
    const { id, text, hash } = generateToken();
    const createdAt = this.#now();
    const expiresAt = expiresInMs === undefined ? 0 : createdAt + expiresInMs;
    const record: TokenRecord = { id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt: 0, revokedAt: 0 };
    const { name: named, profile: bound, expiresAt: expires } = view(record, createdAt);
    const facts = {
      tokenId: id,
      role,
      name: named,
      profile: bound,
      expiresAt: expires,
      by,
      digest: tokenDigest(record),
    };
    if (!(await this.#record('TokenCreated', facts, { kind: 'create', record })))
      throw new SignalboxError('token-invalid', 'two tokens were made with one id; make it again');
    return { token: text, ...view(record, createdAt) };
  }

  /** Every token, newest first; also those that are good no longer. */
  async list(): Promise<readonly AccessToken[]> {
    const now = this.#now();
    return (await this.#store.list({ limit: mostListed })).map((record) => view(record, now));
  }

  /** Ends a token, at once and for good. */
  async revoke(id: string, { by }: { readonly by: Principal }): Promise<AccessToken> {
    const record = await this.#store.find(id);
    if (record === undefined) throw new SignalboxError('token-unknown', `there is no token ${JSON.stringify(id)}`);
    const revokedAt = this.#now();
    const change = { kind: 'revoke', id, at: revokedAt } as const;
    if (!(await this.#record('TokenRevoked', { tokenId: id, role: record.role, by }, change)))
      throw new SignalboxError('token-unknown', `the token ${id} was revoked before`);
    this.#revocations += 1;
    return view({ ...record, revokedAt }, revokedAt);
  }

  /** Looks whether a presented token lets its holder in now. */
  async check(presented: string): Promise<TokenCheck> {
    const id = parseTokenId(presented);
    const record = id === undefined ? undefined : await this.#store.find(id);
    if (!matchesHash(presented, record?.hash) || record === undefined) return { state: 'wrong' };
    const now = this.#now();
    const state = stateOf(record, now);
    if (state !== 'active') return { state };
    if (now - record.lastUsedAt >= usedEveryMs) this.#used(record.id, now);
    const { role, profile, name } = record;
    return { state, id: record.id, role, ...(profile === '' ? {} : { profile }), ...(name === '' ? {} : { name }) };
  }

  /** The token of that id, also when it is good no longer; `undefined` when there is none. */
  async find(id: string): Promise<AccessToken | undefined> {
    const record = await this.#store.find(id);
    return record === undefined ? undefined : view(record, this.#now());
  }

  /** Whether a token that was good still is. */
  async isActive(id: string): Promise<boolean> {
    return (await this.find(id))?.state === 'active';
  }

  /** Who wants in is not kept waiting or out because this cannot be set down. */
  #used(id: string, at: number): void {
    this.#store.used(id, at).catch(() => undefined);
  }

  async #record(type: EntryDraft['type'], facts: object, token: TokenChange): Promise<boolean> {
    const body = this.#redactor.json(JSON.stringify(facts));
    const draft = { type, at: this.#now(), call: '', session: '', tool: '', outcome: '', body, token } as const;
    return (await this.#journal.append(draft, 'power-loss')) !== undefined;
  }
}

function assertMakeable({ role, profile, name, expiresInMs, by }: NewAccessToken): void {
  const wrong = (what: string): never => {
    throw new SignalboxError('token-invalid', what);
  };
  if (by.kind === 'agent') wrong(`only humans can make tokens, and ${JSON.stringify(by.id)} is not one`);
  if (profile !== undefined && role !== 'agent')
    wrong(`a profile binds tokens with the role agent; ${role} sees everything`);
  if (profile === '') wrong('the profile has no name');
  if (name !== undefined && !isName(name)) wrong(`a name has 1 to ${longestName} characters, all of them visible`);
  if (expiresInMs !== undefined && !(expiresInMs >= 1000 && expiresInMs <= longestLife))
    wrong('a token is good for at least a second and at most ten years; leave the time out for one without an end');
}

function isName(name: string): boolean {
  return name.length <= longestName && /^\P{C}+$/u.test(name);
}

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: number): AccessToken['state'] {
  if (revokedAt !== 0) return 'revoked';
  return expiresAt !== 0 && expiresAt <= now ? 'expired' : 'active';
}

function view(record: TokenRecord, now: number): AccessToken {
  const { id, role, name, profile } = record;
  const moment = <Key extends string>(key: Key, at: number): { [each in Key]?: string } =>
    at === 0 ? {} : ({ [key]: new Date(at).toISOString() } as { [each in Key]?: string });
  return {
    id,
    role,
    ...(name === '' ? {} : { name }),
    ...(profile === '' ? {} : { profile }),
    state: stateOf(record, now),
    createdAt: new Date(record.createdAt).toISOString(),
    ...moment('expiresAt', record.expiresAt),
    ...moment('lastUsedAt', record.lastUsedAt),
    ...moment('revokedAt', record.revokedAt),
  };
}

/** `sbx_`, the id without its first word, and 256 random bits. */
const form = /^sbx_([0-9a-z]{19})_[A-Za-z0-9_-]{43}$/;
const unlikeAny = '0'.repeat(64);

/** A new token, with the id that it is found by. */
export function generateToken(): { readonly id: string; readonly text: string; readonly hash: string } {
  const id = newId('tok');
  const text = `sbx_${id.slice('tok_'.length)}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashOf(text) };
}

/** The id that a token says it has; `undefined` when it has not the form of one. */
export function parseTokenId(token: string): string | undefined {
  const [, id] = form.exec(token) ?? [];
  return id === undefined ? undefined : `tok_${id}`;
}

/** Whether a token has this hash, in a time that tells nothing about it; without a hash, no in the same time. */
export function matchesHash(token: string, expected = unlikeAny): boolean {
  return timingSafeEqual(Buffer.from(hashOf(token), 'hex'), Buffer.from(expected, 'hex'));
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
