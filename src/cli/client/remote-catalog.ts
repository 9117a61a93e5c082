import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogNotice, CatalogSnapshot, HiddenTool, ServerSummary } from '../../catalog/snapshot.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { ServerClient } from './server-client.ts';

/** The catalog as the HTTP API returns it, with times as text. */
interface CatalogDocument {
  readonly version: number;
  readonly items: readonly ToolDefinition[];
  readonly servers: readonly (Omit<ServerSummary, 'since'> & { readonly since: string })[];
  readonly hidden: readonly (Omit<HiddenTool, 'since'> & { readonly since: string })[];
  readonly notices: readonly CatalogNotice[];
}

const pollIntervalMs = 200;

/** Returns the catalog of a server in the shape of a local snapshot. */
export async function fetchCatalog(client: ServerClient, profile?: string): Promise<CatalogSnapshot> {
  const query = profile === undefined ? '' : `?profile=${encodeURIComponent(profile)}`;
  const { version, items, servers, hidden, notices } = await client.request<CatalogDocument>(
    'GET',
    `/api/tools${query}`,
  );
  return {
    version,
    tools: items,
    servers: servers.map((server) => ({ ...server, since: Date.parse(server.since) })),
    hidden: hidden.map((tool) => ({ ...tool, since: Date.parse(tool.since) })),
    notices,
  };
}

/** Returns the catalog once it is complete enough, or its current state at the timeout: servers may still be starting. */
export async function waitForCatalog(
  client: ServerClient,
  isEnough: (catalog: CatalogSnapshot) => boolean,
  { profile, signal, waitMs }: { readonly profile?: string; readonly signal?: AbortSignal; readonly waitMs: number },
): Promise<CatalogSnapshot> {
  const until = Date.now() + waitMs;
  for (;;) {
    const catalog = await fetchCatalog(client, profile);
    if (isEnough(catalog) || Date.now() >= until || signal?.aborted === true) return catalog;
    await wait(pollIntervalMs, undefined, omitUndefined({ signal })).catch(() => undefined);
  }
}

/** Returns whether no server is in its first start. */
export function isSettled({ servers }: CatalogSnapshot): boolean {
  return !servers.some(({ connecting }) => connecting === true);
}
