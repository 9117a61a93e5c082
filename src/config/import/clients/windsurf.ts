import { field } from './client-document.ts';
import { textOf, textsOf } from './server-draft.ts';
import type { ReadClient } from '../found-server.ts';
import { editorVariables } from './placeholders.ts';
import { readUsualFile } from './standard-clients.ts';

/** `mcp_config.json`, where the address of a remote server is its `serverUrl`. */
export const readWindsurf: ReadClient = (text, context) =>
  readUsualFile(text, context, editorVariables, {
    keys: ['serverUrl', 'disabledTools'],
    draft: (entry) => ({
      url: textOf(field(entry, 'serverUrl')) ?? textOf(field(entry, 'url')),
      deny: textsOf(field(entry, 'disabledTools')),
    }),
  });
