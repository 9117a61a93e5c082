import type { ImportContext, ReadClient } from '../found-server.ts';
import { type Fields, field, fieldsOf, parseJsonFile, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { bracedEnvironment } from './placeholders.ts';
import { type Draft, isDisabled, ignoredKeysNote, textOf, textsByName, textsOf } from './server-draft.ts';

const knownKeys = ['type', 'command', 'environment', 'url', 'headers', 'enabled', 'timeout', 'cwd'];

/** Reads `opencode.json`, in which a command is a list. */
export const readOpencode: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const switches = fieldsOf(field(document.root, 'tools'));
  const draft = (entry: Fields, name: string): Draft => draftOf(entry, name, switches, context);
  return readServers(document, { path: ['mcp'], dialect: bracedEnvironment, draft }, context);
};

function draftOf(entry: Fields, name: string, switches: Fields, context: ImportContext): Draft {
  const notes: string[] = [];
  const [command, ...args] = textsOf(field(entry, 'command')) ?? [];
  const withoutFiles = (texts: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        text.replaceAll(/\{file:([^}]+)\}/g, (whole, file: string) => {
          const variable = context.secrets.nameFor(name, key, whole);
          notes.push(`the content of ${file} is not copied: set the environment variable ${variable}`);
          return `\${env:${variable}}`;
        }),
      ]),
    );
  return {
    command,
    args,
    env: withoutFiles(textsByName(field(entry, 'environment'))),
    cwd: textOf(field(entry, 'cwd')),
    url: textOf(field(entry, 'url')),
    headers: withoutFiles(textsByName(field(entry, 'headers'))),
    deny: deniedTools(name, switches),
    disabled: isDisabled(entry),
    notes: [...notes, ...ignoredKeysNote(entry, knownKeys)],
  };
}

/** Returns the disabled tools, which opencode lists as `server_tool` with the value `false`. */
function deniedTools(server: string, switches: Fields): string[] {
  return Object.entries(switches)
    .filter(([name, isOn]) => isOn === false && name.startsWith(`${server}_`))
    .map(([name]) => name.slice(server.length + 1));
}
