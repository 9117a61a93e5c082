import { html } from 'hono/html';
import { type Html, layout, linkedStyle, pageLinks } from './layout.ts';

/** Stands where the console would be, and tells why it is not there. */
export function unavailablePage(reason: string): Html {
  const body = html`
    <h1>The console is not there</h1>
    <pre>${reason}</pre>
    <p>Everything else works: the API, the MCP endpoint and the command line do not need it.</p>
  `;
  return layout({ title: 'Signalbox', body, head: linkedStyle, navigation: pageLinks });
}
