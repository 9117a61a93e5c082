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
