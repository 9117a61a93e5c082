import { html, raw } from 'hono/html';
import { contentSecurityPolicy } from '../http/security-headers.ts';
import { type Html, layout } from './page-layout.ts';
import { stylesheet } from './stylesheet.ts';

/** Why somebody has to sign in. */
export type SignInReason = 'signed-out' | 'sign-in-ended' | 'code-refused';

const what: Record<SignInReason, string> = {
  'signed-out': 'This browser is not signed in.',
  'sign-in-ended':
    'This browser was signed in, but is not any more: it was signed out, was not used for 30 days, the admin token has changed, or an earlier version of Signalbox signed it in.',
  'code-refused':
    'This sign-in link was used before, has expired, or is not from this server. Each link works once, for ten minutes.',
};

const style = raw(`<style>${stylesheet}</style>`);

/** Who is not signed in may load no file of ours, so the stylesheet stands in the page and the policy names its hash. */
export const signInPolicy = contentSecurityPolicy({ style: stylesheet });

/** Tells how to get in. */
export function signInPage(reason: SignInReason): Html {
  const body = html`
    <h1>Sign in</h1>
    <p>${what[reason]}</p>
    <p>
      Run <code>signalbox open</code> on the machine of the server: it opens a new sign-in link. Programs get one with
      the admin token: <code>POST /api/sign-in-links</code>.
    </p>
    <p>Did you just follow the link from another page? Then you are signed in already: <a href="/">go on</a>.</p>
    <p class="faint">Programs send <code>Authorization: Bearer …</code> with the token instead.</p>
  `;
  return layout({ title: 'Sign in · Signalbox', body, head: style });
}

/** The name of the browser key in this page and in the storage of the origin, where the console reads it (`console/src/api/browser-key.ts`). */
const keyName = 'signalbox-browser-key';

// `replace` takes the address with the code out of the history of the tab.
const storeKey = `
try {
  localStorage.setItem('${keyName}', document.querySelector('meta[name="${keyName}"]').content);
  location.replace('/');
} catch {
  document.getElementById('state').textContent =
    'This browser does not let this site store data. Allow it, and open a new sign-in link.';
}`;

/** The policy of the page that stores the browser key: its own inline script may run, and nothing else. */
export const signedInPolicy = contentSecurityPolicy({ style: stylesheet, script: storeKey });

/** Stores the browser key for this origin, and goes on to the console. The key is in the body alone: addresses, logs and referrers never have it. */
export function signedInPage(key: string): Html {
  const body = html`
    <h1>Signing in</h1>
    <p id="state">The console opens in a moment.</p>
    <noscript><p>The console needs JavaScript. Allow it for this site, and open a new sign-in link.</p></noscript>
    ${raw(`<script>${storeKey}</script>`)}
  `;
  const head = html`<meta name="${keyName}" content="${key}" />${style}`;
  return layout({ title: 'Signing in · Signalbox', body, head });
}
