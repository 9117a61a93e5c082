import { html, raw } from 'hono/html';
import { contentSecurityPolicy } from '../http/security-headers.ts';
import { type Html, layout } from './page-layout.ts';
import { stylesheet } from './stylesheet.ts';

/** The reasons for the sign-in page. */
export type SignInReason = 'signed-out' | 'sign-in-ended' | 'code-refused';

const reasonTexts: Record<SignInReason, string> = {
  'signed-out': 'This browser is not signed in.',
  'sign-in-ended':
    'This browser is no longer signed in. It was signed out or not used for 30 days, or the admin token has changed.',
  'code-refused':
    'This sign-in link was already used, has expired, or is from another server. Each link works once, within ten minutes.',
};

const style = raw(`<style>${stylesheet}</style>`);

/** Without a sign-in, no file of this server can be loaded, so the stylesheet is inline and the policy contains its hash. */
export const signInPolicy = contentSecurityPolicy({ style: stylesheet });

// Browsers send a SameSite=Strict cookie only with requests from the same site.
const fromOtherSite = html`<p>
  You followed a link from another site, so the server cannot see whether this browser is signed in. If it is,
  <a href="/">open the console</a>.
</p>`;

/** Renders the page that explains how to sign in. With `isFromOtherSite`, the browser may be signed in without showing it. */
export function signInPage(reason: SignInReason, isFromOtherSite: boolean): Html {
  const isUncertain = isFromOtherSite && reason !== 'sign-in-ended';
  const body = html`
    <h1>Sign in</h1>
    ${isUncertain && reason === 'signed-out' ? '' : html`<p>${reasonTexts[reason]}</p>`}
    ${isUncertain ? fromOtherSite : ''}
    <p>
      Run <code>signalbox open</code> on the machine of the server: it opens a new sign-in link. Programs get one with
      the admin token: <code>POST /api/sign-in-links</code>.
    </p>
    <p class="faint">Programs send <code>Authorization: Bearer …</code> with the token instead.</p>
  `;
  return layout({ title: 'Sign in · Signalbox', body, head: style });
}

/** The name of the browser key in this page and in local storage, where the console reads it (`console/src/api/browser-key.ts`). */
const keyName = 'signalbox-browser-key';

// `replace` removes the URL with the code from the history of the tab.
const storeKey = `
try {
  localStorage.setItem('${keyName}', document.querySelector('meta[name="${keyName}"]').content);
  location.replace('/');
} catch {
  document.getElementById('state').textContent =
    'This browser does not let this site store data. Allow it, and open a new sign-in link.';
}`;

/** The policy of the page that stores the browser key: only its own inline script may run. */
export const signedInPolicy = contentSecurityPolicy({ style: stylesheet, script: storeKey });

/** Renders the page that stores the browser key and opens the console. The key is only in the body, so that URLs, logs and referrers never contain it. */
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
