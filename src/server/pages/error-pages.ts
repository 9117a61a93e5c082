import { type Html, layout, linkedStyle, pageLinks } from './page-layout.ts';
import { html } from 'hono/html';

/** For people who opened an address that is none. */
export function unknownPage(): Html {
  const body = html`
    <h1>There is no such page</h1>
    <p>The address may be mistyped, or of another version. <a href="/">Go to the sessions</a>.</p>
  `;
  return layout({ title: 'Signalbox', body, head: linkedStyle, navigation: pageLinks });
}

/** Stands where the console would be, and tells why it is not there. */
export function unavailablePage(reason: string): Html {
  const body = html`
    <h1>The console is not there</h1>
    <pre>${reason}</pre>
    <p>Everything else works: the API, the MCP endpoint and the command line do not need it.</p>
  `;
  return layout({ title: 'Signalbox', body, head: linkedStyle, navigation: pageLinks });
}
