import type { ClientReading, ImportContext, ReadClient } from '../found-server.ts';
import { type Fields, field, parseJsonFile, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { type Dialect, editorVariables, noPlaceholders } from './placeholders.ts';
import { type Draft, ignoredKeysNote, textOf, textsOf, standardDraft, standardKeys } from './server-draft.ts';

/** Reads a JSON file with `mcpServers` in the standard format; `adapt` adds client-specific settings. */
function readStandardFile(
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
    const notes = [...(own.notes ?? []), ...ignoredKeysNote(entry, [...standardKeys, ...adapt.keys])];
    return { ...standardDraft(entry), ...own, notes };
  };
  return readServers(document, { path: ['mcpServers'], dialect, draft }, context);
}

/** Reads `claude_desktop_config.json`. */
export const readClaudeDesktop: ReadClient = (text, context) => readStandardFile(text, context, noPlaceholders);

/** Reads `.cursor/mcp.json` of the user and of the project. */
export const readCursor: ReadClient = (text, context) =>
  readStandardFile(text, context, editorVariables, {
    keys: ['envFile'],
    draft: (entry) => {
      const file = textOf(field(entry, 'envFile'));
      return file === undefined ? {} : { notes: [`the variables of ${file} are not read: name them in "env"`] };
    },
  });

/** Reads `mcp_config.json`, in which the address of a remote server is its `serverUrl`. */
export const readWindsurf: ReadClient = (text, context) =>
  readStandardFile(text, context, editorVariables, {
    keys: ['serverUrl', 'disabledTools'],
    draft: (entry) => ({
      url: textOf(field(entry, 'serverUrl')) ?? textOf(field(entry, 'url')),
      deny: textsOf(field(entry, 'disabledTools')),
    }),
  });
