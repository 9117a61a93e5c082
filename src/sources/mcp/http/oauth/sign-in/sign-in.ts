import type { ProtectedServer } from '../oauth-options.ts';
import type { SignIn, SignInOptions } from './sign-in-options.ts';

/**
 * Lets a person sign in at a server that is protected with OAuth. The tokens are kept where the transport says; servers
 * with that transport use and renew them.
 *
 * @example
 * await signIn({ type: 'http', url: 'https://example.org/mcp', oauth: {} }, { onAuthorize: (url) => console.log(url.href) });
 */
export async function signIn(transport: ProtectedServer, options: SignInOptions): Promise<SignIn> {
  // The SDK takes longer to load than everything else.
  const { authorizeByCode } = await import('./authorize-by-code.ts');
  return await authorizeByCode(transport, options);
}
