import type { NamedPermission, ReadClient } from '../found-server.ts';
import { type Fields, field, fieldsOf, parseJsonFile, unreadable } from './client-document.ts';
import { mergeReadings, readServers } from './normalize-servers.ts';
import { shellBraces } from './placeholders.ts';
import { type Draft, ignoredKeysNote, textsOf, standardDraft, standardKeys } from './server-draft.ts';

/** Reads `.mcp.json`, `~/.claude.json` with the servers of the user and of this project, and `settings.json` with permissions. */
export const readClaudeCode: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const places = [['projects', context.directory, 'mcpServers'], ['mcpServers']];
  const reading = mergeReadings(
    places.map((path) => readServers(document, { path, dialect: shellBraces, draft }, context)),
  );
  return { ...reading, permissions: permissionsIn(fieldsOf(field(document.root, 'permissions'))) };
};

function draft(entry: Fields): Draft {
  return { ...standardDraft(entry), notes: ignoredKeysNote(entry, standardKeys) };
}

/** Returns the permissions of MCP tools. The others apply to the client's own tools. */
function permissionsIn(settings: Fields): NamedPermission[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((answer) =>
    (textsOf(field(settings, answer)) ?? [])
      .filter((name) => name.startsWith('mcp__'))
      .map((name) => ({ name, answer })),
  );
}
