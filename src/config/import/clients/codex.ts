import { TomlError, parse } from 'smol-toml';
import { messageOf } from '../../../core/errors.ts';
import type { ToolPermission, ReadClient } from '../client-reading.ts';
import { type ServerFields, type ParsedDocument, field, fieldsOf, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { noPlaceholders } from './placeholders.ts';
import {
  type ServerDraft,
  ignoredKeysNote,
  secondsOf,
  textOf,
  textsByName,
  textsOf,
  standardDraft,
  standardKeys,
} from './server-draft.ts';

const ownKeys = [
  'env_vars',
  'bearer_token_env_var',
  'http_headers',
  'env_http_headers',
  'enabled_tools',
  'disabled_tools',
  'startup_timeout_sec',
  'startup_timeout_ms',
  'tool_timeout_sec',
  'tools',
  'default_tools_approval_mode',
];

/** Reads `config.toml`. */
export const readCodex: ReadClient = (text, context) => {
  const document = parseToml(text);
  if ('problem' in document) return unreadable(document.problem);
  return readServers(document, { path: ['mcp_servers'], placeholders: noPlaceholders, draft }, context);
};

function draft(entry: ServerFields): ServerDraft {
  const named = variablesOf(field(entry, 'env_vars'));
  const headerVariables = Object.entries(textsByName(field(entry, 'env_http_headers')) ?? {});
  return {
    ...standardDraft(entry),
    env: { ...Object.fromEntries(named.map((name) => [name, `\${env:${name}}`])), ...textsByName(field(entry, 'env')) },
    headers: {
      ...textsByName(field(entry, 'http_headers')),
      ...Object.fromEntries(headerVariables.map(([header, name]) => [header, `\${env:${name}}`])),
    },
    bearerVariable: textOf(field(entry, 'bearer_token_env_var')),
    timeoutMs: secondsOf(field(entry, 'tool_timeout_sec')),
    allow: textsOf(field(entry, 'enabled_tools')),
    deny: textsOf(field(entry, 'disabled_tools')),
    notes: ignoredKeysNote(entry, [...standardKeys, ...ownKeys]),
    permissions: permissionsIn(entry),
  };
}

function variablesOf(value: unknown): string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  return listed.flatMap((each) => textOf(each) ?? textOf(field(fieldsOf(each), 'name')) ?? []);
}

/** `approve` runs a tool without asking, `prompt` always asks; with `auto` the client decides. */
function permissionsIn(entry: ServerFields): ToolPermission[] {
  const permission = (tool: string, mode: unknown): ToolPermission[] => {
    if (mode === 'approve') return [{ tool, answer: 'allow' }];
    return mode === 'prompt' ? [{ tool, answer: 'ask' }] : [];
  };
  const tools = Object.entries(fieldsOf(field(entry, 'tools')));
  return [
    ...permission('*', field(entry, 'default_tools_approval_mode')),
    ...tools.flatMap(([tool, settings]) => permission(tool, field(fieldsOf(settings), 'approval_mode'))),
  ];
}

function parseToml(text: string): ParsedDocument {
  try {
    const root = parse(text.replace(/^\ufeff/, '')) as ServerFields;
    return { root, lineOf: (path) => lineOfTable(text, path) };
  } catch (error) {
    if (!(error instanceof TomlError)) return { problem: { line: 1, message: messageOf(error) } };
    const [message = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { problem: { line: error.line, message } };
  }
}

/** Finds the line of a server's table, because the parser returns no positions. */
function lineOfTable(text: string, path: readonly string[]): number {
  const name = path.at(-1) ?? '';
  const headings = [`[mcp_servers.${name}]`, `[mcp_servers.${JSON.stringify(name)}]`, `[mcp_servers.'${name}']`];
  const lines = text.split('\n');
  return (
    1 +
    Math.max(
      0,
      lines.findIndex((line) => headings.some((heading) => line.trimStart().startsWith(heading))),
    )
  );
}
