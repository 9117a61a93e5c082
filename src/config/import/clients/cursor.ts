import { field } from './client-document.ts';
import { textOf } from './server-draft.ts';
import type { ReadClient } from '../found-server.ts';
import { editorVariables } from './placeholders.ts';
import { readUsualFile } from './standard-clients.ts';

/** `.cursor/mcp.json`, of the user and of the project. */
export const readCursor: ReadClient = (text, context) =>
  readUsualFile(text, context, editorVariables, {
    keys: ['envFile'],
    draft: (entry) => {
      const file = textOf(field(entry, 'envFile'));
      return file === undefined ? {} : { notes: [`the variables of ${file} are not read: name them in "env"`] };
    },
  });
