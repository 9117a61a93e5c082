import type { ProtectedServer } from './oauth-options.ts';

/** The result of a sign-in. */
export interface SignIn {
  readonly issuer: string;
  readonly resource: string;
  readonly scope?: string;
}

/** Options of `signIn`. */
export interface SignInOptions {
  /** Opens this URL in the browser, or shows it. */
  onAuthorize(url: URL): void | Promise<void>;
  readonly signal?: AbortSignal;
  /** Time limit for the person (default 5 minutes). */
  readonly timeoutMs?: number;
}

/** The result of signing out. */
export interface SignOut {
  readonly wasSignedIn: boolean;
  /** Whether the tokens were revoked; not every server offers that. */
  readonly isRevoked: boolean;
}

/**
 * Signs a person in at a server that is protected with OAuth. The tokens go to the token store of the transport; servers with that
 * transport use and renew them.
 *
 * @example
 * await signIn({ type: 'http', url: 'https://example.org/mcp', oauth: {} }, { onAuthorize: (url) => console.log(url.href) });
 */
export async function signIn(transport: ProtectedServer, options: SignInOptions): Promise<SignIn> {
  // Imported late, since the SDK takes long to load.
  const { authorizeByCode } = await import('./authorize-by-code.ts');
  return await authorizeByCode(transport, options);
}

/** Deletes the stored tokens, and revokes them where the authorization server offers it (RFC 7009). */
export async function signOut(transport: ProtectedServer): Promise<SignOut> {
  // Imported late, since most users of this package never sign out.
  const { endSignIn } = await import('./end-sign-in.ts');
  return await endSignIn(transport);
}
