import type { OAuthOptions } from './oauth-options.ts';

/** No usable token is available. The request was not run. */
export class NotAuthorized extends Error {
  override readonly name: string = 'NotAuthorized';
  readonly code: 'SIGNALBOX_NOT_AUTHORIZED' | 'SIGNALBOX_SIGN_IN_NEEDED' = 'SIGNALBOX_NOT_AUTHORIZED';
}

/** A person has to sign in. The message becomes the reason why the server is down. */
export class SignInNeeded extends NotAuthorized {
  override readonly name = 'SignInNeeded';
  override readonly code = 'SIGNALBOX_SIGN_IN_NEEDED';

  constructor(why: string, { howToSignIn = 'call signIn() with its transport' }: OAuthOptions, options?: ErrorOptions) {
    super(`needs sign-in (${why}): ${howToSignIn}`, options);
  }
}
