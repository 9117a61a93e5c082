import type { Role } from '../../core/principal.ts';

/** The stored form of an access token. Texts are empty and times 0 when they do not apply. */
export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the complete token, in hex. The token itself is not stored. */
  readonly hash: string;
  readonly role: Role;
  readonly profile: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Rounded to the minute. */
  readonly lastUsedAt: number;
  readonly revokedAt: number;
}

/** A change to a token in the same transaction as an entry. If the change is rejected, the entry is not written. */
export type TokenChange =
  /** Rejected when a token with that id exists. */
  | { readonly kind: 'create'; readonly record: TokenRecord }
  /** Rejected when the token does not exist or is revoked. */
  | { readonly kind: 'revoke'; readonly id: string; readonly at: number };

/** The part of the `Store` interface for access tokens, which are created and revoked only together with a journal entry. */
export interface AccessTokenStore {
  /** Returns the current record, including changes of other processes. */
  find(id: string): Promise<TokenRecord | undefined>;
  /** Returns the tokens, newest first. */
  list(query: { readonly limit: number }): Promise<readonly TokenRecord[]>;
  /** Records the use of a token. Ignores a time before the recorded one. */
  used(id: string, at: number): Promise<void>;
}
