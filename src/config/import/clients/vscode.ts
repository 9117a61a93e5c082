import type { ReadClient } from '../found-server.ts';
import { type Fields, field, parseJsonFile, unreadable } from './client-document.ts';
import { mergeReadings, readServers } from './normalize-servers.ts';
import { editorVariables } from './placeholders.ts';
import { type Draft, ignoredKeysNote, textOf, textsOf, standardDraft, standardKeys } from './server-draft.ts';

/** Reads `mcp.json` of VS Code with its `servers`, and `mcp-config.json` of Copilot with its `mcpServers`. */
export const readVisualStudioCode: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const places = [['servers'], ['mcpServers']];
  return mergeReadings(places.map((path) => readServers(document, { path, dialect: editorVariables, draft }, context)));
};

function draft(entry: Fields): Draft {
  const file = textOf(field(entry, 'envFile'));
  const allow = textsOf(field(entry, 'tools'));
  return {
    ...standardDraft(entry),
    ...(allow !== undefined && !allow.includes('*') && { allow }),
    notes: [
      ...(file === undefined ? [] : [`the variables of ${file} are not read: name them in "env"`]),
      ...ignoredKeysNote(entry, [...standardKeys, 'envFile', 'tools']),
    ],
  };
}
