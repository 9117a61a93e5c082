import { SignalboxError } from '../core/errors.ts';
import { decodeJsonString, isJson, isJsonDocument, rewriteJsonTokens } from './json-tokens.ts';
import type { JsonToken } from './json-tokens.ts';
import { secretEncodings } from './secret-encodings.ts';
import { isSecretKey, mayContainSecretKey } from './secret-keys.ts';
import { containsSecretPattern, replaceSecretPatterns } from './secret-patterns.ts';
import { createPrefixSearch, createUnwrappingSearch } from './string-search.ts';

/** Keeps secrets out of the journal, logs and errors. */
export interface Redactor {
  /** The number of registered values. When it changes, cached results are outdated. */
  readonly registeredCount: number;
  /** The maximum length of a value that can span a comma and a key of a JSON document. */
  readonly maxCrossKeyLength: number;
  /** Registers a secret value that must never be recorded. `[redacted:NAME]` replaces it. */
  add(name: string, value: string, options?: SecretOptions): void;
  /** Returns whether a JSON document, or a part of one that ends before a key, contains nothing to redact. */
  isClean(text: string): boolean;
  /** Redacts a JSON document given as text (the output of `JSON.stringify`); returns valid JSON text. */
  json(text: string): string;
  /** Redacts plain text: error messages, rendered output, log lines. */
  text(text: string): string;
  /** Redacts registered values only, in plain text or in a JSON object, array or string; JSON stays valid. */
  values(text: string): string;
  /** Returns the positions of registered values in a plain text, in order, with their placeholders. */
  find(text: string): readonly RegisteredSpan[];
  /** Returns the placeholder for a secret. */
  placeholder(name?: string): string;
  /** Returns the number of characters at the end of a text that may be the beginning of a registered value. */
  partialMatchLength(text: string): number;
}

/** The origin of a secret value. */
export interface SecretOptions {
  /** A server chose the value, for example an access token. It may be any text, so a human who approves a call must be able to see it. */
  readonly isForeign?: boolean;
}

/** The position of a registered value in a text. */
export interface RegisteredSpan {
  readonly start: number;
  readonly end: number;
  readonly isForeign: boolean;
  readonly placeholder: string;
}

type Scope = 'everything' | 'values';

/** Shorter values cannot be redacted without also redacting ordinary words. */
export const minSecretLength = 4;
/** Replaces a secret whose name contains a secret. */
export const neutralPlaceholder = '[●●●●]';
const emptyPlaceholder = '';

/** Creates a redactor without registered values. */
export function createRedactor(): Redactor {
  const nameOf = new Map<string, string>();
  const foreign = new Set<string>();
  const placeholders = new Map<string, string>();
  let search = createUnwrappingSearch([]);
  let prefixes = createPrefixSearch([]);
  let searchIsCurrent = true;
  let longestAcrossKeys = 0;

  function refresh(): void {
    if (searchIsCurrent) return;
    search = createUnwrappingSearch([...nameOf.keys()]);
    prefixes = createPrefixSearch([...nameOf.keys()]);
    searchIsCurrent = true;
  }

  function containsValue(text: string): boolean {
    refresh();
    return search.test(text);
  }

  /** Returns the first text that contains no secret. A placeholder can itself spell a secret, alone or with the text around it. */
  function firstSafe(...texts: readonly string[]): string {
    return texts.find((text) => !containsValue(text) && !containsValue(JSON.stringify(text))) ?? emptyPlaceholder;
  }

  function placeholder(name: string): string {
    const known = placeholders.get(name) ?? firstSafe(`[redacted:${name}]`, neutralPlaceholder);
    placeholders.set(name, known);
    return known;
  }

  function replaceValues(text: string, placeholderFor: (name: string) => string): string {
    if (!containsValue(text)) return text;
    let result = '';
    let copied = 0;
    for (const { start, end, wanted } of search.spans(text)) {
      result += text.slice(copied, start) + placeholderFor(nameOf.get(wanted) ?? '');
      copied = end;
    }
    return result + text.slice(copied);
  }

  function redactText(text: string, scope: Scope): string {
    for (const placeholderFor of [placeholder, () => firstSafe(neutralPlaceholder)]) {
      const withoutValues = replaceValues(text, placeholderFor);
      const redacted = scope === 'values' ? withoutValues : replaceSecretPatterns(withoutValues, placeholderFor);
      if (!containsValue(redacted)) return redacted;
    }
    return firstSafe(neutralPlaceholder);
  }

  function redactJson(text: string, scope: Scope): string {
    const redacted = rewriteJsonTokens(text, (token) => redactToken(token, scope));
    // A remaining value must include the document's own quotes and braces.
    return containsValue(redacted) ? JSON.stringify(firstSafe(neutralPlaceholder)) : redacted;
  }

  function redactToken({ kind, source, key }: JsonToken, scope: Scope): string {
    const isText = kind === 'key' || kind === 'string';
    if (!isText && containsValue(source)) {
      const [first] = search.spans(source);
      return JSON.stringify(placeholder(nameOf.get(first?.wanted ?? '') ?? ''));
    }
    const isSecret = scope === 'everything' && kind !== 'literal' && key !== undefined && isSecretKey(key);
    if (isSecret && source !== '""') return JSON.stringify(firstSafe('[redacted]', neutralPlaceholder));
    if (!isText) return source;
    const decoded = decodeJsonString(source);
    const redacted = redactString(decoded, scope);
    return redacted === decoded ? source : JSON.stringify(redacted);
  }

  /** Redacts a string inside a JSON document, which may itself be a JSON document. */
  function redactString(text: string, scope: Scope): string {
    return firstSafe(isJsonDocument(text) ? redactJson(text, scope) : redactText(text, scope), neutralPlaceholder);
  }

  function isClean(text: string): boolean {
    return !containsValue(text) && !containsSecretPattern(text) && !mayContainSecretKey(text);
  }

  return {
    get registeredCount() {
      return nameOf.size;
    },
    get maxCrossKeyLength() {
      return longestAcrossKeys;
    },
    isClean,
    add: (name, value, { isForeign = false } = {}) => {
      if (value.length < minSecretLength) {
        const message = `the secret "${name}" is shorter than ${minSecretLength} characters: it cannot be redacted reliably`;
        throw new SignalboxError('secret-invalid', `${message}; use a longer one`);
      }
      if (!value.isWellFormed()) {
        throw new SignalboxError('secret-invalid', `the secret "${name}" is not well-formed text; use valid Unicode`);
      }
      for (const form of secretEncodings(value)) {
        if (!isForeign) foreign.delete(form);
        else if (!nameOf.has(form)) foreign.add(form);
        if (!nameOf.has(form)) nameOf.set(form, name);
        if (form.includes(',"')) longestAcrossKeys = Math.max(longestAcrossKeys, form.length);
      }
      searchIsCurrent = false;
      placeholders.clear();
    },
    json: (text) => {
      if (isClean(text)) return text;
      return isJson(text) ? redactJson(text, 'everything') : JSON.stringify(redactText(text, 'everything'));
    },
    text: (text) => (!containsValue(text) && !containsSecretPattern(text) ? text : redactText(text, 'everything')),
    values: (text) => {
      if (!containsValue(text)) return text;
      return isJsonDocument(text) ? redactJson(text, 'values') : redactText(text, 'values');
    },
    find: (text) => {
      if (!containsValue(text)) return [];
      return search.spans(text).map(({ start, end, wanted }) => ({
        start,
        end,
        isForeign: foreign.has(wanted),
        placeholder: placeholder(nameOf.get(wanted) ?? ''),
      }));
    },
    placeholder: (name) => (name === undefined ? firstSafe('[redacted]', neutralPlaceholder) : placeholder(name)),
    partialMatchLength: (text) => {
      refresh();
      return prefixes(text);
    },
  };
}
