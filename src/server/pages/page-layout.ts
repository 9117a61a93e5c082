import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup whose values are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

interface Page {
  readonly title: string;
  readonly body: Html;
  /** Stylesheet and script elements. */
  readonly head: Html;
  readonly navigation?: Html;
}

/** Renders a page. */
export function layout({ title, body, head, navigation }: Page): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        ${head}
      </head>
      <body>
        <header>
          <div><strong>Signalbox</strong>${navigation ?? ''}</div>
        </header>
        <main>${body}</main>
      </body>
    </html> `;
}

const signedInHead = html`<link rel="stylesheet" href="/assets/page.css" />`;
const pageLinks = html`<nav aria-label="Pages">
  <a href="/">Console</a><a href="/docs">API</a><a href="/openapi.json">OpenAPI</a>
</nav>`;

/** Renders a page for signed-in readers, who may load files of this server, with links to the other pages. */
export function sitePage(title: string, body: Html): Html {
  return layout({ title, body, head: signedInHead, navigation: pageLinks });
}
