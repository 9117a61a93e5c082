import { type Html, sitePage } from './page-layout.ts';
import { html } from 'hono/html';

/** Renders the page for unknown paths. */
export function unknownPage(): Html {
  const body = html`
    <h1>Page not found</h1>
    <p>The URL may be misspelled, or belong to another version. <a href="/">Go to the sessions</a>.</p>
  `;
  return sitePage('Signalbox', body);
}

/** Renders the page that explains why the console is not available. */
export function unavailablePage(reason: string): Html {
  const body = html`
    <h1>The console is not available</h1>
    <pre>${reason}</pre>
    <p>The API, the MCP endpoint and the command line work without it.</p>
  `;
  return sitePage('Signalbox', body);
}
