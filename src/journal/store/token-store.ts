import type { Role } from '../../core/principal.ts';

/** An access token as it is kept. Texts are empty and times 0 where they do not apply. */
export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the whole token, in hex. The token itself is kept nowhere. */
  readonly hash: string;
  readonly role: Role;
  readonly profile: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the minute. */
  readonly lastUsedAt: number;
  readonly revokedAt: number;
}

/** What an entry does to the tokens, in the same transaction. An entry whose change is refused is not written. */
export type TokenChange =
  /** Refused when there is a token of that id. */
  | { readonly kind: 'create'; readonly record: TokenRecord }
  /** Refused when there is no such token or it was revoked before. */
  | { readonly kind: 'revoke'; readonly id: string; readonly at: number };

/** The part of the Store port that keeps access tokens; they are made and revoked only together with an entry of the journal. */
export interface TokenStore {
  /** As it is now, whichever process changed it. */
  find(id: string): Promise<TokenRecord | undefined>;
  /** Newest first. */
  list(query: { readonly limit: number }): Promise<readonly TokenRecord[]>;
  /** Sets down that a token was used; an earlier time than the one that is kept changes nothing. */
  used(id: string, at: number): Promise<void>;
}
