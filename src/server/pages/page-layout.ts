import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup in which every value was escaped by the template. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a page is made of. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Stylesheet and script elements. */
  readonly head: Html;
  /** The way to the other pages, where the reader may go there. */
  readonly navigation?: Html;
}

/** The frame around every page. */
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

/** The head of pages whose reader is signed in and may load our files. */
export const linkedStyle: Html = html`<link rel="stylesheet" href="/assets/page.css" />`;

/** From page to page. */
export const pageLinks: Html = html`<nav aria-label="Pages">
  <a href="/">Console</a><a href="/docs">API</a><a href="/openapi.json">OpenAPI</a>
</nav>`;
