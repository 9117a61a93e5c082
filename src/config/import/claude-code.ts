import { type Fields, parseJsonFile, unreadable } from './client-document.ts';
import { type Draft, leftBehind, usualDraft, usualKeys } from './draft.ts';
import type { ReadClient } from './found-server.ts';
import { joined, readServers } from './normalise.ts';
import { shellBraces } from './placeholders.ts';

/** `.mcp.json`, and `~/.claude.json` with the servers of the user and those of this project. */
export const readClaudeCode: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const places = [['projects', context.directory, 'mcpServers'], ['mcpServers']];
  return joined(places.map((path) => readServers(document, { path, dialect: shellBraces, draft }, context)));
};

function draft(entry: Fields): Draft {
  return { ...usualDraft(entry), notes: leftBehind(entry, usualKeys) };
}
