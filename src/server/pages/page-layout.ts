import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup whose values are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The parts of a page. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Stylesheet and script elements. */
  readonly head: Html;
  /** Links to the other pages, for signed-in readers. */
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

/** The stylesheet link for pages of signed-in readers, who may load files of this server. */
export const linkedStyle: Html = html`<link rel="stylesheet" href="/assets/page.css" />`;

/** The links to the other pages. */
export const pageLinks: Html = html`<nav aria-label="Pages">
  <a href="/">Console</a><a href="/docs">API</a><a href="/openapi.json">OpenAPI</a>
</nav>`;
