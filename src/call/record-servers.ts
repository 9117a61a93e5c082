import type { Catalog } from '../catalog/catalog.ts';
import type { ServerProvenance } from '../catalog/snapshot.ts';
import type { EntryDraft } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Redactor } from '../journal/redaction.ts';

/**
 * Writes to the journal whenever a server comes, goes, or changes how it is. Of the servers that are there from the start
 * only those that cannot be called: a box that is opened for one call should not fill the record.
 */
export function recordServers(catalog: Catalog, journal: Journal, redactor: Redactor): void {
  let before: Map<string, ServerProvenance> | undefined;
  catalog.subscribe(({ servers }) => {
    const now = new Map(servers.map((server) => [server.name, server]));
    before ??= new Map(servers.filter((server) => server.status === 'up').map((server) => [server.name, server]));
    for (const server of servers) {
      const known = before.get(server.name);
      if (known?.status !== server.status || known.tools !== server.tools)
        journal.note(() => draft(server, server.status, redactor));
    }
    for (const [name, server] of before)
      if (!now.has(name)) journal.note(() => draft({ ...server, tools: 0 }, 'removed', redactor));
    before = now;
  });
}

function draft(
  server: ServerProvenance,
  status: ServerProvenance['status'] | 'removed',
  redactor: Redactor,
): EntryDraft {
  const { name, tools, reason } = server;
  const body = redactor.json(JSON.stringify({ server: name, status, tools, reason }));
  return { type: 'ServerChanged', at: Date.now(), call: '', session: '', tool: '', outcome: '', body };
}
