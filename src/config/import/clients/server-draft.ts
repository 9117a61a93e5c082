import type { ToolPermission } from '../client-reading.ts';
import { type ServerFields, field, fieldsOf } from './client-document.ts';

/** A client's entry in the format of Signalbox, with the client's placeholders. */
export interface ServerDraft {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  /** The client's name for the transport. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The environment variable that holds a bearer token. */
  readonly bearerVariable?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly disabled?: boolean;
  readonly notes?: readonly string[];
  readonly permissions?: readonly ToolPermission[];
}

/** The keys of an entry in the standard `mcpServers` format. */
export const standardKeys = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled', 'enabled'] as const;

/** Reads an entry in the standard format. */
export function standardDraft(entry: ServerFields): ServerDraft {
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

/** Returns a note with the keys that are not imported. */
export function ignoredKeysNote(entry: ServerFields, known: readonly string[]): string[] {
  const others = Object.keys(entry).filter((key) => !known.includes(key));
  return others.length === 0 ? [] : [`not imported: ${others.join(', ')}`];
}

export function isDisabled(entry: ServerFields): boolean {
  return field(entry, 'disabled') === true || field(entry, 'enabled') === false;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Converts an array of strings, numbers and booleans to strings. Returns `undefined` for other values. */
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

/** Converts seconds to milliseconds. */
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
