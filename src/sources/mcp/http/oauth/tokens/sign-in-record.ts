import { hash } from 'node:crypto';
import { z } from 'zod';
import type { OAuthOptions } from '../oauth-options.ts';
import type { Authorization } from '../find-authorization.ts';
import type { TokenClient, Tokens } from './token-request.ts';

const text = z.string().min(1);
const recordSchema = z.object({
  /** The resource that the tokens are for, and who issued them: they go nowhere else. */
  resource: text,
  issuer: text,
  tokenEndpoint: text,
  revocationEndpoint: text.exactOptional(),
  clientId: text,
  clientSecret: text.exactOptional(),
  clientMethod: text,
  accessToken: text.exactOptional(),
  refreshToken: text.exactOptional(),
  scope: z.string().exactOptional(),
  /** When the access token should be renewed, and when it is of no use any more. */
  renewAt: z.number().exactOptional(),
  expiresAt: z.number().exactOptional(),
  /** Why it cannot be renewed. */
  ended: text.exactOptional(),
  /** What the server asked for and the sign-in did not give. */
  wantedScope: text.exactOptional(),
});

/** A sign-in as it is kept. */
export type SignInRecord = z.infer<typeof recordSchema>;

const longestMarginMs = 60_000;

/** What a sign-in is kept under. Another address, client or account is another sign-in. */
export function recordKey(url: URL, options: OAuthOptions): string {
  const { account = 'server', grant, clientId, clientMetadataUrl, issuer } = options;
  const identity = JSON.stringify([url.href, account, grant, clientId, clientMetadataUrl, issuer]);
  return `${account}:${hash('sha256', identity, 'hex').slice(0, 16)}`;
}

/** Reads what was kept; what cannot be read is as good as none. */
export function parseRecord(kept: string | undefined): SignInRecord | undefined {
  if (kept === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(kept)).data;
  } catch {
    return undefined;
  }
}

/** The record of what an authorization server has just issued to a client. */
export function issuedRecord(
  { resource, metadata }: Pick<Authorization, 'resource' | 'metadata'>,
  client: TokenClient,
  tokens: Tokens,
): SignInRecord {
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  const revocationEndpoint = typeof revocation === 'string' ? { revocationEndpoint: revocation } : {};
  return withTokens({ resource, issuer: metadata.issuer, ...revocationEndpoint, ...client }, tokens);
}

/** The record with new tokens in it. A refresh token that was not replaced still holds. */
export function withTokens(record: SignInRecord, tokens: Tokens, now = Date.now()): SignInRecord {
  const { accessToken, refreshToken, scope, expiresIn } = tokens;
  const { renewAt: _renewAt, expiresAt: _expiresAt, ended: _ended, wantedScope: _wanted, ...kept } = record;
  const lifeMs = expiresIn === undefined ? undefined : expiresIn * 1000;
  return {
    ...kept,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(lifeMs === undefined
      ? {}
      : { expiresAt: now + lifeMs, renewAt: now + lifeMs - Math.min(longestMarginMs, lifeMs / 10) }),
  };
}

/** The record of a sign-in that is over, and why. */
export function endedRecord(record: SignInRecord, why: string): SignInRecord {
  const { accessToken: _access, refreshToken: _refresh, ...kept } = record;
  return { ...kept, ended: why };
}
