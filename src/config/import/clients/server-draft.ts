import type { Permission } from '../found-server.ts';
import { type Fields, field, fieldsOf } from './client-document.ts';

/** What a client's entry means, in our words, with the client's own placeholders still in it. */
export interface Draft {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  /** How the client reaches the URL, in its own word. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The environment variable that holds a bearer token. */
  readonly bearerVariable?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly disabled?: boolean;
  readonly notes?: readonly string[];
  readonly permissions?: readonly Permission[];
}

/** The keys that all clients with an `mcpServers` of the usual shape know. */
export const standardKeys = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled', 'enabled'] as const;

/** Reads an entry of the usual shape. */
export function standardDraft(entry: Fields): Draft {
  return {
    type: textOf(field(entry, 'type')),
    command: textOf(field(entry, 'command')),
    args: textsOf(field(entry, 'args')),
    env: textsByName(field(entry, 'env')),
    cwd: textOf(field(entry, 'cwd')),
    url: textOf(field(entry, 'url')),
    headers: textsByName(field(entry, 'headers')),
    disabled: isDisabled(entry),
  };
}

/** Names what is not taken over, so that nobody misses it later. */
export function ignoredKeysNote(entry: Fields, known: readonly string[]): string[] {
  const others = Object.keys(entry).filter((key) => !known.includes(key));
  return others.length === 0 ? [] : [`not taken over: ${others.join(', ')}`];
}

export function isDisabled(entry: Fields): boolean {
  return field(entry, 'disabled') === true || field(entry, 'enabled') === false;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A list of texts; numbers and truth values are written as text. `undefined` when it is no list. */
export function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.flatMap((each) => plainText(each) ?? []) : undefined;
}

export function textsByName(value: unknown): Record<string, string> | undefined {
  const texts = Object.entries(fieldsOf(value)).flatMap(([key, each]) => {
    const text = plainText(each);
    return text === undefined ? [] : [[key, text] as const];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** Seconds as milliseconds. */
export function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value * 1000 : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
