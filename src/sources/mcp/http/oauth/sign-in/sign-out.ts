import type { SignOut } from './end-sign-in.ts';
import type { ProtectedServer } from '../oauth-options.ts';

export type { SignOut } from './end-sign-in.ts';

/** Deletes the stored tokens, and revokes them where the authorization server offers it (RFC 7009). */
export async function signOut(transport: ProtectedServer): Promise<SignOut> {
  // Imported late, since most users of this package never sign out.
  const { endSignIn } = await import('./end-sign-in.ts');
  return await endSignIn(transport);
}
