import { hash } from 'node:crypto';
import { z } from 'zod';
import { omitUndefined } from '../../../../core/omit-undefined.ts';
import type { OAuthOptions } from './oauth-options.ts';
import type { Authorization } from './find-authorization.ts';
import type { TokenClient, Tokens } from './token-request.ts';

const nonEmptyString = z.string().min(1);
const recordSchema = z.object({
  /** The resource that the tokens are for, and their issuer: they are sent to no other server. */
  resource: nonEmptyString,
  issuer: nonEmptyString,
  tokenEndpoint: nonEmptyString,
  revocationEndpoint: nonEmptyString.exactOptional(),
  clientId: nonEmptyString,
  clientSecret: nonEmptyString.exactOptional(),
  clientMethod: nonEmptyString,
  accessToken: nonEmptyString.exactOptional(),
  refreshToken: nonEmptyString.exactOptional(),
  scope: z.string().exactOptional(),
  /** The renewal time and the expiry of the access token. */
  renewAt: z.number().exactOptional(),
  expiresAt: z.number().exactOptional(),
  /** The reason why the tokens cannot be renewed. */
  ended: nonEmptyString.exactOptional(),
  /** Scopes that the server asked for and the sign-in did not grant. */
  wantedScope: nonEmptyString.exactOptional(),
});

/** A stored sign-in. */
export type SignInRecord = z.infer<typeof recordSchema>;

const maxRenewalMarginMs = 60_000;

/** Returns the storage key of a sign-in, which depends on URL, client and account. */
export function recordKey(url: URL, options: OAuthOptions): string {
  const { account = 'server', grant, clientId, clientMetadataUrl, issuer } = options;
  const identity = JSON.stringify([url.href, account, grant, clientId, clientMetadataUrl, issuer]);
  return `${account}:${hash('sha256', identity, 'hex').slice(0, 16)}`;
}

/** Parses a stored record. Returns undefined when it is missing or invalid. */
export function parseRecord(text: string | undefined): SignInRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Creates the record of newly issued tokens. */
export function issuedRecord(
  { resource, metadata }: Pick<Authorization, 'resource' | 'metadata'>,
  client: TokenClient,
  tokens: Tokens,
): SignInRecord {
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  const revocationEndpoint = typeof revocation === 'string' ? revocation : undefined;
  return withTokens(omitUndefined({ resource, issuer: metadata.issuer, revocationEndpoint, ...client }), tokens);
}

/** Returns the record with new tokens. A refresh token that was not replaced remains valid. */
export function withTokens(record: SignInRecord, tokens: Tokens, now = Date.now()): SignInRecord {
  const { expiresIn, ...issued } = tokens;
  const { renewAt: _renewAt, expiresAt: _expiresAt, ended: _ended, wantedScope: _wanted, ...rest } = record;
  if (expiresIn === undefined) return { ...rest, ...issued };
  const lifeMs = expiresIn * 1000;
  const expiresAt = now + lifeMs;
  return { ...rest, ...issued, expiresAt, renewAt: expiresAt - Math.min(maxRenewalMarginMs, lifeMs / 10) };
}

/** Returns the record of a sign-in that has ended, with the reason. */
export function endedRecord(record: SignInRecord, why: string): SignInRecord {
  const { accessToken: _access, refreshToken: _refresh, ...rest } = record;
  return { ...rest, ended: why };
}
