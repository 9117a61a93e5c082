import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { contentSecurityPolicy } from '../security-headers.ts';
import { type Html, layout } from './layout.ts';
import { stylesheet } from './stylesheet.ts';

/** Why somebody has to sign in. */
export type SignInReason = 'signed-out' | 'code-refused';

const what: Record<SignInReason, string> = {
  'signed-out': 'This browser is not signed in.',
  'code-refused':
    'This sign-in link was used before, has expired, or is not from this server. Each link works once, for ten minutes.',
};

/** Who is not signed in may load no file of ours, so the stylesheet stands in the page and the policy names its hash. */
export const signInPolicy = contentSecurityPolicy(`sha256-${createHash('sha256').update(stylesheet).digest('base64')}`);

/** Tells how to get in. */
export function signInPage(reason: SignInReason): Html {
  const body = html`
    <h1>Sign in</h1>
    <p>${what[reason]}</p>
    <p>
      Open the link that <code>signalbox serve</code> prints when it starts. For another one, start it again, or ask for
      it with the admin token: <code>POST /api/sign-in-links</code>.
    </p>
    <p>Did you just follow the link from another page? Then you are signed in already: <a href="/">go on</a>.</p>
    <p class="faint">Programs send <code>Authorization: Bearer …</code> with the token instead.</p>
  `;
  return layout({
    title: 'Sign in · Signalbox',
    body,
    head: raw(`<style>${stylesheet}</style>`),
  });
}
