import type { ProtectedServer } from '../oauth-options.ts';

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

/** How a person is asked to sign in. */
export interface SignInOptions {
  /** Sends the person to this address: opens a browser, or shows it. */
  onAuthorize(url: URL): void | Promise<void>;
  readonly signal?: AbortSignal;
  /** How long the person may take (5 minutes). */
  readonly timeoutMs?: number;
}

/** What a sign-in gave. */
export interface SignIn {
  readonly issuer: string;
  readonly resource: string;
  readonly scope?: string;
}
