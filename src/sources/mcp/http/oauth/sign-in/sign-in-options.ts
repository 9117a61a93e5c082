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
