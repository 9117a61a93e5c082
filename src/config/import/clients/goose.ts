import { LineCounter, isMap, isScalar, parseDocument } from 'yaml';
import { messageOf } from '../../../core/errors.ts';
import type { ReadClient } from '../client-reading.ts';
import { type ServerFields, type ParsedDocument, field, fieldsOf, unreadable } from './client-document.ts';
import { readServers } from './normalize-servers.ts';
import { shellBraces } from './placeholders.ts';
import {
  type ServerDraft,
  isDisabled,
  ignoredKeysNote,
  secondsOf,
  textOf,
  textsByName,
  textsOf,
} from './server-draft.ts';

const knownKeys =
  'name display_name description enabled type bundled cmd args envs env_keys uri headers timeout available_tools cwd'.split(
    ' ',
  );
const transports: Readonly<Record<string, string>> = { stdio: 'stdio', sse: 'sse', streamable_http: 'http' };

/** Reads `config.yaml`. */
export const readGoose: ReadClient = (text, context) => {
  const document = parseYaml(text);
  if ('problem' in document) return unreadable(document.problem);
  return readServers(document, { path: ['extensions'], placeholders: shellBraces, draft }, context);
};

function draft(entry: ServerFields): ServerDraft | string {
  const kind = textOf(field(entry, 'type')) ?? 'stdio';
  const type = Object.hasOwn(transports, kind) ? transports[kind] : undefined;
  if (type === undefined) return `it is part of Goose (${kind})`;
  const keys = textsOf(field(entry, 'env_keys')) ?? [];
  const allow = textsOf(field(entry, 'available_tools')) ?? [];
  return {
    type,
    command: textOf(field(entry, 'cmd')),
    args: textsOf(field(entry, 'args')),
    env: { ...Object.fromEntries(keys.map((key) => [key, `\${env:${key}}`])), ...textsByName(field(entry, 'envs')) },
    cwd: textOf(field(entry, 'cwd')),
    url: textOf(field(entry, 'uri')),
    headers: textsByName(field(entry, 'headers')),
    timeoutMs: secondsOf(field(entry, 'timeout')),
    // In goose, an empty list means every tool.
    ...(allow.length > 0 && { allow }),
    disabled: isDisabled(entry),
    notes: [
      ...keys.map((key) => `${key} is stored by Goose: set the environment variable ${key}`),
      ...ignoredKeysNote(entry, knownKeys),
    ],
  };
}

function parseYaml(text: string): ParsedDocument {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' });
    const [error] = document.errors;
    if (error !== undefined) {
      const [message = ''] = error.message.split(/ at line \d+|\n/);
      return { problem: { line: lines.linePos(error.pos[0]).line, message } };
    }
    const lineOf = (path: readonly string[]): number => {
      const holder = document.getIn(path.slice(0, -1), true);
      const pair = isMap(holder)
        ? holder.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
        : undefined;
      return isScalar(pair?.key) && pair.key.range ? lines.linePos(pair.key.range[0]).line : 1;
    };
    return { root: fieldsOf(document.toJS()), lineOf };
  } catch (error) {
    // Exponential aliases, or nesting that overflows the stack.
    return { problem: { line: 1, message: messageOf(error) } };
  }
}
