import type { ReadClient } from '../found-server.ts';
import { type Fields, field, fieldsOf, parseJsonFile, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { noPlaceholders } from './placeholders.ts';
import { type Draft, ignoredKeysNote, numberOf, textOf, standardDraft, standardKeys } from './server-draft.ts';

/** Reads `settings.json`, whose `context_servers` are programs, addresses or extensions. */
export const readZed: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  return readServers(document, { path: ['context_servers'], dialect: noPlaceholders, draft }, context);
};

function draft(entry: Fields): Draft | string {
  const command = field(entry, 'command');
  const older = fieldsOf(command);
  const path = textOf(field(older, 'path'));
  const program = path === undefined ? entry : { ...older, command: path, enabled: field(entry, 'enabled') };
  if (command === undefined && field(entry, 'url') === undefined) return 'it comes with an extension of Zed';
  return {
    ...standardDraft(program),
    timeoutMs: numberOf(field(entry, 'timeout')),
    notes: ignoredKeysNote(entry, [...standardKeys, 'source', 'timeout']),
  };
}
