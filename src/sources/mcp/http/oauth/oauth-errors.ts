import type { OAuthOptions } from './oauth-options.ts';

/** There is no token that the server would take. Nothing was run at it. */
export class NotAuthorized extends Error {
  override readonly name: string = 'NotAuthorized';
  readonly code: 'SIGNALBOX_NOT_AUTHORIZED' | 'SIGNALBOX_SIGN_IN_NEEDED' = 'SIGNALBOX_NOT_AUTHORIZED';
}

/** Only a person can help, by signing in; its words are what the server is told to be down for. */
export class SignInNeeded extends NotAuthorized {
  override readonly name = 'SignInNeeded';
  override readonly code = 'SIGNALBOX_SIGN_IN_NEEDED';

  constructor(why: string, { howToSignIn = 'call signIn() with its transport' }: OAuthOptions, options?: ErrorOptions) {
    super(`needs sign-in (${why}): ${howToSignIn}`, options);
  }
}
