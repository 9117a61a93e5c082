import type { Catalog } from '../../catalog/catalog.ts';
import type { ServerProvenance } from '../../catalog/snapshot.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { ConfigurationChange } from '../../journal/entries/journal-event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';

/**
 * Records each change of a server's status or tools, and its removal, until the returned function is called. A new server that is up is
 * not recorded, because a box for a single call would write an entry for each server. Nor are tools that the host adds to the built-in
 * server during startup.
 */
export function recordServers(catalog: Catalog, journal: Journal, redactor: Redactor, builtin?: string): () => void {
  let before = new Map<string, ServerProvenance>();
  return catalog.subscribe((snapshot) => {
    const servers = snapshot.servers.filter(({ name }) => catalog.source(name).state().down?.isStarting !== true);
    const now = new Map(servers.map((server) => [server.name, server]));
    for (const server of servers) {
      const { status, tools } = before.get(server.name) ?? { status: 'up', tools: server.tools };
      const hasOtherTools = tools !== server.tools && server.name !== builtin;
      if (status !== server.status || hasOtherTools) journal.note(() => draft(server, server.status, redactor));
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

/** Records whether a changed configuration was applied. */
export function recordConfiguration(change: ConfigurationChange, journal: Journal, redactor: Redactor): void {
  const { status, file, by, details } = change;
  journal.note(() => ({
    type: 'ConfigurationChanged',
    at: Date.now(),
    call: '',
    session: '',
    tool: '',
    outcome: '',
    body: redactor.json(JSON.stringify({ status, file, by, details })),
  }));
}
