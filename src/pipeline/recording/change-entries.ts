import type { Catalog } from '../../catalog/catalog.ts';
import type { ServerSummary } from '../../catalog/snapshot.ts';
import type { ConfigurationChange } from '../../journal/entries/journal-event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { entryDraft } from './entry-draft.ts';

/**
 * Records each change of a server's status or tools, and its removal, until the returned function is called. A new server that is up is
 * not recorded, because a box for a single call would write an entry for each server. Nor are tools that the host adds to the built-in
 * server during startup.
 */
export function recordServers(catalog: Catalog, journal: Journal, redactor: Redactor, builtin?: string): () => void {
  let before = new Map<string, ServerSummary>();
  const record = (server: string, status: ServerSummary['status'] | 'removed', tools: number, reason?: string): void =>
    journal.note(() => entryDraft('ServerChanged', { server, status, tools, reason }, redactor));
  return catalog.subscribe((snapshot) => {
    const servers = snapshot.servers.filter(({ name }) => catalog.source(name).state().down?.isStarting !== true);
    const now = new Map(servers.map((server) => [server.name, server]));
    for (const server of servers) {
      const { status, tools } = before.get(server.name) ?? { status: 'up', tools: server.tools };
      const hasOtherTools = tools !== server.tools && server.name !== builtin;
      if (status !== server.status || hasOtherTools) record(server.name, server.status, server.tools, server.reason);
    }
    for (const [name, { reason }] of before) if (!now.has(name)) record(name, 'removed', 0, reason);
    before = now;
  });
}

/** Records whether a changed configuration was applied. */
export function recordConfiguration(change: ConfigurationChange, journal: Journal, redactor: Redactor): void {
  const { status, file, by, details } = change;
  journal.note(() => entryDraft('ConfigurationChanged', { status, file, by, details }, redactor));
}
