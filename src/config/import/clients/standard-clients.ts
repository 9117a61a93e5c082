import { type Fields, parseJsonFile, unreadable } from './client-document.ts';
import { leftBehind, usualDraft, usualKeys } from './server-draft.ts';
import type { Draft } from './server-draft.ts';
import type { ClientReading, ImportContext } from '../found-server.ts';
import { readServers } from './normalize-servers.ts';
import type { Dialect } from './placeholders.ts';

/** Reads a JSON file whose `mcpServers` have the usual shape; `adapt` adds what only this client has. */
export function readUsualFile(
  text: string,
  context: ImportContext,
  dialect: Dialect,
  adapt: { readonly keys: readonly string[]; readonly draft: (entry: Fields) => Partial<Draft> } = {
    keys: [],
    draft: () => ({}),
  },
): ClientReading {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const draft = (entry: Fields): Draft => {
    const own = adapt.draft(entry);
    const notes = [...(own.notes ?? []), ...leftBehind(entry, [...usualKeys, ...adapt.keys])];
    return { ...usualDraft(entry), ...own, notes };
  };
  return readServers(document, { path: ['mcpServers'], dialect, draft }, context);
}
