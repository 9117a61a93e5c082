import { html } from 'hono/html';
import { type Html, layout, linkedStyle, pageLinks } from './layout.ts';

/** For people who opened an address that is none. */
export function unknownPage(): Html {
  const body = html`
    <h1>There is no such page</h1>
    <p>The address may be mistyped, or of another version. <a href="/">Go to the sessions</a>.</p>
  `;
  return layout({ title: 'Signalbox', body, head: linkedStyle, navigation: pageLinks });
}
