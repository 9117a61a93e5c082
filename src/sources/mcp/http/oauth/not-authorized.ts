import type { OAuthOptions } from './oauth-options.ts';

/** There is no token that the server would take. Nothing was run at it. */
export class NotAuthorized extends Error {
  override readonly name = 'NotAuthorized';
  readonly code = 'SIGNALBOX_NOT_AUTHORIZED';
}

/** Only a person can help: the words by which every surface tells it. */
export function needsSignIn(why: string, { howToSignIn = 'call signIn() with its transport' }: OAuthOptions): string {
  return `needs sign-in (${why}): ${howToSignIn}`;
}
