import { withAuthorizationFetch } from './authorization-fetch.ts';
import type { ProtectedServer } from './oauth-options.ts';
import { postForm } from './token-request.ts';
import { OAuthSession } from './oauth-session.ts';

/** The result of signing out. */
export interface SignOutResult {
  readonly wasSignedIn: boolean;
  /** Whether the tokens were revoked; not every server offers that. */
  readonly isRevoked: boolean;
}

/** Deletes the stored tokens, and revokes them where the authorization server offers it (RFC 7009). */
export async function endSignIn(transport: ProtectedServer): Promise<SignOutResult> {
  const session = new OAuthSession(transport);
  const record = await session.record().catch(() => 'unreadable' as const);
  // Deleted first, so that a server that does not answer cannot prevent it.
  await session.save(undefined);
  if (record === undefined) return { wasSignedIn: false, isRevoked: false };
  if (record === 'unreadable') return { wasSignedIn: true, isRevoked: false };
  const { revocationEndpoint, refreshToken, accessToken } = record;
  const tokens = Object.entries({ refresh_token: refreshToken, access_token: accessToken });
  if (revocationEndpoint === undefined || record.ended !== undefined) return { wasSignedIn: true, isRevoked: false };
  try {
    const answers = await withAuthorizationFetch(transport, (fetch) =>
      Promise.all(
        tokens.map(async ([token_type_hint, token]) => {
          if (token === undefined) return true;
          const response = await postForm(revocationEndpoint, record, { token, token_type_hint }, fetch);
          return response.ok;
        }),
      ),
    );
    return { wasSignedIn: true, isRevoked: answers.every(Boolean) };
  } catch {
    return { wasSignedIn: true, isRevoked: false };
  }
}
