import type { SignInResult, SignInOptions } from './authorize-by-code.ts';
import type { SignOutResult } from './end-sign-in.ts';
import type { ProtectedServer } from './oauth-options.ts';

/**
 * Signs a person in at a server that is protected with OAuth. The tokens go to the token store of the transport; servers with that
 * transport use and renew them.
 *
 * @example
 * await signIn({ type: 'http', url: 'https://example.org/mcp', oauth: {} }, { onAuthorize: (url) => console.log(url.href) });
 */
export async function signIn(transport: ProtectedServer, options: SignInOptions): Promise<SignInResult> {
  // Imported late, since the SDK takes long to load.
  const { authorizeByCode } = await import('./authorize-by-code.ts');
  return await authorizeByCode(transport, options);
}

/** Deletes the stored tokens, and revokes them where the authorization server offers it (RFC 7009). */
export async function signOut(transport: ProtectedServer): Promise<SignOutResult> {
  // Imported late, since most users of this package never sign out.
  const { endSignIn } = await import('./end-sign-in.ts');
  return await endSignIn(transport);
}
