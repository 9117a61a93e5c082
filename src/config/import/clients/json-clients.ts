import type { ClientReading, ImportContext, NamedPermission, ReadClient } from '../client-reading.ts';
import {
  type ClientDocument,
  type ServerFields,
  field,
  fieldsOf,
  parseJsonFile,
  unreadable,
} from './client-document.ts';
import { mergeReadings, readServers } from './normalize-servers.ts';
import {
  type ConvertPlaceholders,
  bracedEnvironment,
  editorVariables,
  noPlaceholders,
  shellBraces,
  shellVariables,
} from './placeholders.ts';
import {
  type ServerDraft,
  ignoredKeysNote,
  isDisabled,
  numberOf,
  standardDraft,
  standardKeys,
  textOf,
  textsByName,
  textsOf,
} from './server-draft.ts';

/** Creates the reader of a client whose file is JSON with comments. */
function jsonClient(read: (document: ClientDocument, context: ImportContext) => ClientReading): ReadClient {
  return (text, context) => {
    const document = parseJsonFile(text);
    return 'problem' in document ? unreadable(document.problem) : read(document, context);
  };
}

/** Reads an entry in the standard format. `own` are the keys and settings that only this client has. */
function draftWith(entry: ServerFields, ownKeys: readonly string[] = [], own: ServerDraft = {}): ServerDraft {
  const notes = [...(own.notes ?? []), ...ignoredKeysNote(entry, [...standardKeys, ...ownKeys])];
  return { ...standardDraft(entry), ...own, notes };
}

/** Returns a note for a file of variables, which is not read. */
function envFileNotes(entry: ServerFields): Pick<ServerDraft, 'notes'> {
  const file = textOf(field(entry, 'envFile'));
  return file === undefined ? {} : { notes: [`the variables of ${file} are not read: name them in "env"`] };
}

/** Reads `.mcp.json`, `~/.claude.json` with the servers of the user and of this project, and `settings.json` with permissions. */
export const readClaudeCode = jsonClient((document, context) => {
  const places = [['projects', context.directory, 'mcpServers'], ['mcpServers']];
  const reading = mergeReadings(
    places.map((path) =>
      readServers(document, { path, placeholders: shellBraces, draft: (entry) => draftWith(entry) }, context),
    ),
  );
  return { ...reading, permissions: permissionsIn(fieldsOf(field(document.root, 'permissions'))) };
});

/** Returns the permissions of MCP tools. The others apply to the client's own tools. */
function permissionsIn(settings: ServerFields): NamedPermission[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((answer) =>
    (textsOf(field(settings, answer)) ?? [])
      .filter((name) => name.startsWith('mcp__'))
      .map((name) => ({ name, answer })),
  );
}

/** Creates the reader of a client whose file has `mcpServers` in the standard format. */
function standardClient(
  placeholders: ConvertPlaceholders,
  ownKeys: readonly string[] = [],
  own: (entry: ServerFields) => ServerDraft = () => ({}),
): ReadClient {
  const draft = (entry: ServerFields): ServerDraft => draftWith(entry, ownKeys, own(entry));
  return jsonClient((document, context) =>
    readServers(document, { path: ['mcpServers'], placeholders, draft }, context),
  );
}

/** Reads `claude_desktop_config.json`. */
export const readClaudeDesktop = standardClient(noPlaceholders);

/** Reads `.cursor/mcp.json` of the user and of the project. */
export const readCursor = standardClient(editorVariables, ['envFile'], envFileNotes);

/** Reads `mcp_config.json`, in which the address of a remote server is its `serverUrl`. */
export const readWindsurf = standardClient(editorVariables, ['serverUrl', 'disabledTools'], (entry) => ({
  url: textOf(field(entry, 'serverUrl')) ?? textOf(field(entry, 'url')),
  deny: textsOf(field(entry, 'disabledTools')),
}));

/** Reads `mcp.json` of VS Code with its `servers`, and `mcp-config.json` of Copilot with its `mcpServers`. */
export const readVisualStudioCode = jsonClient((document, context) => {
  const draft = (entry: ServerFields): ServerDraft => {
    const allow = textsOf(field(entry, 'tools'));
    const isLimited = allow !== undefined && !allow.includes('*');
    return draftWith(entry, ['envFile', 'tools'], { ...envFileNotes(entry), ...(isLimited && { allow }) });
  };
  const places = [['servers'], ['mcpServers']];
  return mergeReadings(
    places.map((path) => readServers(document, { path, placeholders: editorVariables, draft }, context)),
  );
});

/** Reads `settings.json` of Zed, whose `context_servers` are programs, addresses or extensions. */
export const readZed = jsonClient((document, context) => {
  const draft = (entry: ServerFields): ServerDraft | string => {
    const command = field(entry, 'command');
    if (command === undefined && field(entry, 'url') === undefined) return 'it comes with an extension of Zed';
    const older = fieldsOf(command);
    const path = textOf(field(older, 'path'));
    const program = path === undefined ? entry : { ...older, command: path, enabled: field(entry, 'enabled') };
    return {
      ...standardDraft(program),
      timeoutMs: numberOf(field(entry, 'timeout')),
      notes: ignoredKeysNote(entry, [...standardKeys, 'source', 'timeout']),
    };
  };
  return readServers(document, { path: ['context_servers'], placeholders: noPlaceholders, draft }, context);
});

const geminiKeys = ['httpUrl', 'includeTools', 'excludeTools', 'trust', 'timeout', 'description'];

/** Reads `settings.json` of Gemini, in which `httpUrl` is streamable HTTP and `url` is SSE. */
export const readGemini = jsonClient((document, context) => {
  const lists = fieldsOf(field(document.root, 'mcp'));
  const allowed = textsOf(field(lists, 'allowed'));
  const excluded = textsOf(field(lists, 'excluded')) ?? [];
  const draft = (entry: ServerFields, name: string): ServerDraft => {
    const httpUrl = textOf(field(entry, 'httpUrl'));
    const url = httpUrl ?? textOf(field(entry, 'url'));
    const type = textOf(field(entry, 'type')) ?? (httpUrl === undefined ? 'sse' : 'http');
    return draftWith(entry, geminiKeys, {
      url,
      type: url === undefined ? undefined : type,
      timeoutMs: numberOf(field(entry, 'timeout')),
      allow: textsOf(field(entry, 'includeTools')),
      deny: textsOf(field(entry, 'excludeTools')),
      disabled: isDisabled(entry) || excluded.includes(name) || allowed?.includes(name) === false,
      permissions: field(entry, 'trust') === true ? [{ tool: '*', answer: 'allow' }] : [],
    });
  };
  return readServers(document, { path: ['mcpServers'], placeholders: shellVariables, draft }, context);
});

const opencodeKeys = ['type', 'command', 'environment', 'url', 'headers', 'enabled', 'timeout', 'cwd'];

/** Reads `opencode.json`, in which a command is a list. */
export const readOpencode = jsonClient((document, context) => {
  const switches = fieldsOf(field(document.root, 'tools'));
  const draft = (entry: ServerFields, name: string): ServerDraft => {
    const notes: string[] = [];
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
    const [command, ...args] = textsOf(field(entry, 'command')) ?? [];
    return {
      command,
      args,
      env: withoutFiles(textsByName(field(entry, 'environment'))),
      cwd: textOf(field(entry, 'cwd')),
      url: textOf(field(entry, 'url')),
      headers: withoutFiles(textsByName(field(entry, 'headers'))),
      deny: deniedTools(name, switches),
      disabled: isDisabled(entry),
      notes: [...notes, ...ignoredKeysNote(entry, opencodeKeys)],
    };
  };
  return readServers(document, { path: ['mcp'], placeholders: bracedEnvironment, draft }, context);
});

/** Returns the disabled tools, which opencode lists as `server_tool` with the value `false`. */
function deniedTools(server: string, switches: ServerFields): string[] {
  return Object.entries(switches)
    .filter(([name, isOn]) => isOn === false && name.startsWith(`${server}_`))
    .map(([name]) => name.slice(server.length + 1));
}
