import type { ReadClient } from '../found-server.ts';
import { field, fieldsOf, parseJsonFile, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { shellVariables } from './placeholders.ts';
import { isDisabled, ignoredKeysNote, numberOf, textOf, textsOf, standardDraft, standardKeys } from './server-draft.ts';

const ownKeys = ['httpUrl', 'includeTools', 'excludeTools', 'trust', 'timeout', 'description'];

/** Reads `settings.json`, in which `httpUrl` is streamable HTTP and `url` is SSE. */
export const readGemini: ReadClient = (text, context) => {
  const document = parseJsonFile(text);
  if ('problem' in document) return unreadable(document.problem);
  const lists = fieldsOf(field(document.root, 'mcp'));
  const allowed = textsOf(field(lists, 'allowed'));
  const excluded = textsOf(field(lists, 'excluded')) ?? [];
  const shape: Parameters<typeof readServers>[1] = {
    path: ['mcpServers'],
    dialect: shellVariables,
    draft: (entry, name) => {
      const httpUrl = textOf(field(entry, 'httpUrl'));
      const url = httpUrl ?? textOf(field(entry, 'url'));
      const type = textOf(field(entry, 'type')) ?? (httpUrl === undefined ? 'sse' : 'http');
      const isTrusted = field(entry, 'trust') === true;
      return {
        ...standardDraft(entry),
        url,
        type: url === undefined ? undefined : type,
        timeoutMs: numberOf(field(entry, 'timeout')),
        allow: textsOf(field(entry, 'includeTools')),
        deny: textsOf(field(entry, 'excludeTools')),
        disabled: isDisabled(entry) || excluded.includes(name) || allowed?.includes(name) === false,
        notes: ignoredKeysNote(entry, [...standardKeys, ...ownKeys]),
        permissions: isTrusted ? [{ tool: '*', answer: 'allow' }] : [],
      };
    },
  };
  return readServers(document, shape, context);
};
