import { SignalboxError } from '../core/errors.ts';
import { decodeJsonString, isJson, isJsonDocument, rewriteJsonTokens } from './json-tokens.ts';
import type { JsonToken } from './json-tokens.ts';
import { secretEncodings } from './secret-encodings.ts';
import { isSecretKey, mayContainSecretKey } from './secret-keys.ts';
import { containsSecretPattern, replaceSecretPatterns } from './secret-patterns.ts';
import { createPrefixSearch, createUnwrappingSearch } from './string-search.ts';

/** Keeps secrets out of the journal, logs and errors. */
export interface Redactor {
  /** How many values were registered: what was looked at before a change has to be looked at again. */
  readonly registeredCount: number;
  /** The length of the longest value that may begin before a comma and a key of a JSON document, and end after them. */
  readonly maxCrossKeyLength: number;
  /** Registers a secret value that must never be recorded; `[redacted:NAME]` stands in its place. */
  add(name: string, value: string, options?: SecretOptions): void;
  /** Whether nothing would be taken out of a JSON document, or of a part of one that is cut before a key. */
  isClean(text: string): boolean;
  /** Redacts a JSON document given as text (the output of `JSON.stringify`); returns valid JSON text. */
  json(text: string): string;
  /** Redacts plain text: error messages, rendered output, log lines. */
  text(text: string): string;
  /** Redacts registered values only, in plain text or in a JSON object, array or string; JSON stays valid. */
  values(text: string): string;
  /** Returns where registered values are in a plain text, in order, with the placeholder of each. */
  find(text: string): readonly RegisteredSpan[];
  /** Returns what stands in the place of something that looks like a secret. */
  placeholder(name?: string): string;
  /** How many characters at the end of a text may be the beginning of a registered value, of which the rest is still to come. */
  partialMatchLength(text: string): number;
}

/** Where a secret value comes from. */
export interface SecretOptions {
  /** A server chose it, as its access tokens: it may be any text, so a human who approves a call must be able to see it. */
  readonly isForeign?: boolean;
}

/** Where a registered value is in a text. */
export interface RegisteredSpan {
  readonly start: number;
  readonly end: number;
  readonly isForeign: boolean;
  readonly placeholder: string;
}

type Scope = 'everything' | 'values';

/** A shorter value cannot be kept out of the record: it would take ordinary words with it. */
export const minSecretLength = 4;
const NEUTRAL = '[●●●●]';
const NOTHING = '';

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

  function holdsValue(text: string): boolean {
    refresh();
    return search.test(text);
  }

  /** Placeholders, and what they come to stand beside, can spell a secret themselves: then the next text is taken. */
  function firstSafe(...texts: readonly string[]): string {
    return texts.find((text) => !holdsValue(text) && !holdsValue(JSON.stringify(text))) ?? NOTHING;
  }

  function placeholder(name: string): string {
    const known = placeholders.get(name) ?? firstSafe(`[redacted:${name}]`, NEUTRAL);
    placeholders.set(name, known);
    return known;
  }

  function replaceValues(text: string, inPlaceOf: (name: string) => string): string {
    if (!holdsValue(text)) return text;
    let result = '';
    let copied = 0;
    for (const { start, end, wanted } of search.spans(text)) {
      result += text.slice(copied, start) + inPlaceOf(nameOf.get(wanted) ?? '');
      copied = end;
    }
    return result + text.slice(copied);
  }

  function redactText(text: string, scope: Scope): string {
    for (const inPlaceOf of [placeholder, () => firstSafe(NEUTRAL)]) {
      const withoutValues = replaceValues(text, inPlaceOf);
      const redacted = scope === 'values' ? withoutValues : replaceSecretPatterns(withoutValues, inPlaceOf);
      if (!holdsValue(redacted)) return redacted;
    }
    return firstSafe(NEUTRAL);
  }

  function redactJson(text: string, scope: Scope): string {
    const redacted = rewriteJsonTokens(text, (token) => redactToken(token, scope));
    // What is left can only be spelled by the document's own quotes and braces.
    return holdsValue(redacted) ? JSON.stringify(firstSafe(NEUTRAL)) : redacted;
  }

  function redactToken({ kind, source, key }: JsonToken, scope: Scope): string {
    const isText = kind === 'key' || kind === 'string';
    if (!isText && holdsValue(source)) {
      const [first] = search.spans(source);
      return JSON.stringify(placeholder(nameOf.get(first?.wanted ?? '') ?? ''));
    }
    const isSecret = scope === 'everything' && kind !== 'literal' && key !== undefined && isSecretKey(key);
    if (isSecret && source !== '""') return JSON.stringify(firstSafe('[redacted]', NEUTRAL));
    if (!isText) return source;
    const decoded = decodeJsonString(source);
    const redacted = redactString(decoded, scope);
    return redacted === decoded ? source : JSON.stringify(redacted);
  }

  /** A string inside a JSON document; often it is a JSON document itself. */
  function redactString(text: string, scope: Scope): string {
    return firstSafe(isJsonDocument(text) ? redactJson(text, scope) : redactText(text, scope), NEUTRAL);
  }

  function isClean(text: string): boolean {
    return !holdsValue(text) && !containsSecretPattern(text) && !mayContainSecretKey(text);
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
        const message = `the secret "${name}" is shorter than ${minSecretLength} characters: it cannot be kept out of the record`;
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
    text: (text) => (!holdsValue(text) && !containsSecretPattern(text) ? text : redactText(text, 'everything')),
    values: (text) => {
      if (!holdsValue(text)) return text;
      return isJsonDocument(text) ? redactJson(text, 'values') : redactText(text, 'values');
    },
    find: (text) => {
      if (!holdsValue(text)) return [];
      return search.spans(text).map(({ start, end, wanted }) => ({
        start,
        end,
        isForeign: foreign.has(wanted),
        placeholder: placeholder(nameOf.get(wanted) ?? ''),
      }));
    },
    placeholder: (name) => (name === undefined ? firstSafe('[redacted]', NEUTRAL) : placeholder(name)),
    partialMatchLength: (text) => {
      refresh();
      return prefixes(text);
    },
  };
}
