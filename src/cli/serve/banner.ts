import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { Printer } from '../terminal.ts';

/** What the banner tells. */
export interface BannerFacts {
  readonly version: string;
  readonly startedInMs: number;
  readonly signInUrl: string;
  readonly url: string;
  readonly journal: string;
  readonly tokenKeptIn: string;
  readonly catalog: CatalogSnapshot;
  /** Servers of other clients that could be taken over. */
  readonly found: { readonly servers: number; readonly clients: readonly string[] };
}

/** What `serve` prints when it is ready. */
export function banner(facts: BannerFacts, { colors }: Pick<Printer, 'colors'>): string {
  const rows: [string, string][] = [
    ['Console', `${colors.cyan(facts.signInUrl)} ${colors.dim('(signs in once)')}`],
    ['API docs', `${facts.url}/docs`],
    ['Journal', `${facts.journal} (kept)`],
    ['Token', `kept in ${facts.tokenKeptIn} ${colors.dim('(admin, for scripts)')}`],
    ['Servers', serversLine(facts.catalog)],
    ...foundRow(facts.found),
    ['Policy', 'reads run · undoable writes ask once · irreversible calls always ask   →  signalbox approvals'],
  ];
  const heading = `${colors.bold(`Signalbox ${facts.version}`)}   ready in ${(facts.startedInMs / 1000).toFixed(1)} s`;
  return `${[heading, ...rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`)].join('\n')}\n`;
}

function foundRow({ servers, clients }: BannerFacts['found']): [string, string][] {
  if (servers === 0) return [];
  const what = servers === 1 ? 'MCP server' : 'MCP servers';
  return [['Found', `${servers} ${what} in ${clients.join(', ')}   →  signalbox import`]];
}

function serversLine({ servers, tools }: CatalogSnapshot): string {
  const count = (status: string): number => servers.filter((server) => server.status === status).length;
  const parts = [
    `${count('up')} up`,
    ...(['down', 'disabled'] as const)
      .filter((status) => count(status) > 0)
      .map((status) => `${count(status)} ${status}`),
  ];
  const why = count('down') > 0 ? '   →  signalbox tools --why' : '';
  return `${parts.join(', ')} · ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${why}`;
}
