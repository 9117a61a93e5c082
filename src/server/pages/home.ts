import { html } from 'hono/html';
import type { CatalogSnapshot, HiddenTool, ServerProvenance } from '../../catalog/snapshot.ts';
import type { Approval } from '../../model/approval.ts';
import { counted } from '../../model/counted.ts';
import type { ToolDefinition } from '../../model/tool.ts';
import { type Html, layout, linkedStyle, pageLinks } from './layout.ts';

/** What the first page shows. */
export interface HomePage {
  readonly version: string;
  readonly journal: string;
  readonly catalog: CatalogSnapshot;
  /** The calls that wait for a human. */
  readonly waiting: readonly Approval[];
}

/** The plain page: what waits for an answer, every tool, every server, and one call to try. */
export function homePage({ version, journal, catalog, waiting }: HomePage): Html {
  const { tools, servers, hidden } = catalog;
  const body = html`
    <h1>${counted(tools.length, 'tool')} of ${counted(servers.length, 'server')}</h1>
    <p class="faint">Version ${version} · journal: <code>${journal}</code></p>
    ${inbox(waiting)} ${tryOut(tools)}
    <h2 id="tools">Tools</h2>
    <ul class="list" aria-labelledby="tools">
      ${tools.map(toolCard)}
    </ul>
    <h2 id="servers">Servers</h2>
    <ul class="list" aria-labelledby="servers">
      ${servers.map(serverCard)}
    </ul>
    ${
      hidden.length === 0
        ? ''
        : html`<h2 id="hidden">Hidden</h2>
            <ul class="list" aria-labelledby="hidden">
              ${hidden.map(hiddenCard)}
            </ul>`
    }
  `;
  const head = html`${linkedStyle}
    <script src="/assets/page.js" defer></script>`;
  return layout({ title: 'Signalbox', body, head, navigation: pageLinks });
}

function inbox(waiting: readonly Approval[]): Html {
  if (waiting.length === 0) return html``;
  return html`<h2 id="waiting">
      ${counted(waiting.length, 'call')} ${waiting.length === 1 ? 'waits' : 'wait'} for you
    </h2>
    <ul class="list" aria-labelledby="waiting">
      ${waiting.map(approvalCard)}
    </ul>`;
}

function approvalCard({ id, tool, effect, principal, decision, arguments: args }: Approval): Html {
  return html`<li class="card">
    <div class="title">
      <h3><code>${tool}</code></h3>
      <span class="badge ${effect}">${effect}</span>
      <button type="button" data-answer="/api/approvals/${id}/approve" aria-describedby="${id}">Approve</button>
      <button type="button" data-answer="/api/approvals/${id}/deny" aria-describedby="${id}">Deny</button>
    </div>
    <pre>${JSON.stringify(args, undefined, 2)}</pre>
    <p id="${id}" role="status">${principal.id} asks: ${decision.reason}.</p>
  </li>`;
}

function tryOut(tools: readonly ToolDefinition[]): Html {
  const ping =
    tools.find(({ name }) => name === 'mcp__signalbox__ping') ??
    tools.find(({ id, effect }) => id.tool === 'ping' && effect === 'read');
  if (ping === undefined) return html``;
  return html`<section class="card" aria-labelledby="try">
    <div class="title">
      <h2 id="try">Try a call</h2>
      <button id="run" type="button" data-tool="${ping.name}">Run ${ping.name}</button>
    </div>
    <p id="status" role="status">Makes one call through the pipeline and shows its place in the journal.</p>
    <dl id="facts"></dl>
  </section>`;
}

function toolCard({ name, id, effect, description }: ToolDefinition): Html {
  return html`<li class="card">
    <div class="title">
      <h3><code>${name}</code></h3>
      <span class="faint">${id.server}</span><span class="badge ${effect}">${effect}</span>
    </div>
    <p>${description}</p>
  </li>`;
}

function serverCard({ name, adapter, status, tools, reason }: ServerProvenance): Html {
  return html`<li class="card">
    <div class="title">
      <h3>${name}</h3>
      <span class="faint">${adapter} · ${counted(tools, 'tool')}</span><span class="badge ${status}">${status}</span>
    </div>
    ${reason === undefined ? '' : html`<p>${reason}</p>`}
  </li>`;
}

function hiddenCard({ name, reason, since }: HiddenTool): Html {
  return html`<li class="card">
    <div class="title">
      <h3><code>${name}</code></h3>
    </div>
    <p>${reason} <span class="faint">since ${new Date(since).toISOString()}</span></p>
  </li>`;
}
