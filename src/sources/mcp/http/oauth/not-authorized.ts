import { needsSignIn } from '../../../../model/needs-sign-in.ts';
import type { OAuthOptions } from './oauth-options.ts';

/** There is no token that the server would take. Nothing was run at it. */
export class NotAuthorized extends Error {
  override readonly name = 'NotAuthorized';
  readonly code = 'SIGNALBOX_NOT_AUTHORIZED';
}

/** What a server is told to be down for that wants somebody to sign in. */
export function signInNeeded(why: string, { howToSignIn = 'call signIn() with its transport' }: OAuthOptions): string {
  return needsSignIn(why, howToSignIn);
}
