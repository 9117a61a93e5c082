import type { SignOut } from './end-sign-in.ts';
import type { ProtectedServer } from '../oauth-options.ts';

export type { SignOut } from './end-sign-in.ts';

/** Forgets a sign-in, and has its tokens revoked where the authorization server offers it (RFC 7009). */
export async function signOut(transport: ProtectedServer): Promise<SignOut> {
  // Node's HTTP client takes its time to load, and most who import this package never sign out.
  const { endSignIn } = await import('./end-sign-in.ts');
  return await endSignIn(transport);
}
