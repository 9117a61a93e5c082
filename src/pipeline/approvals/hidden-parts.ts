import { isJsonDocument, rewriteJsonTokens } from '../../redaction/json-tokens.ts';
import { type Redactor, neutralPlaceholder } from '../../redaction/redactor.ts';
import { isSecretKey, mayContainSecretKey } from '../../redaction/secret-keys.ts';
import { findSecretPatterns } from '../../redaction/secret-patterns.ts';
import type { HiddenKind, HiddenPart, RevealedArguments } from '../../core/calls/approval.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';

/** The parts to hide: only registered values, or also text that looks like a secret. */
type Scope = 'registered' | 'everything';

interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: HiddenKind;
  readonly placeholder: string;
}

const maxShownArguments = 1024 * 1024;
const maxHiddenParts = 1000;

/** The arguments as a human sees them, with the values behind their placeholders. */
interface Hiding {
  readonly shown: RevealedArguments;
  /** The hidden value of each placeholder; a string, unless a whole number or literal is hidden. Never stored. */
  readonly originals: ReadonlyMap<string, JsonValue>;
}

/**
 * Returns the arguments as a human sees them, with every hidden part. Unlike the redaction of the journal, which may remove
 * too much, this removes only the secret itself, because the rest of the text is what runs.
 */
export function hideParts(text: string, redactor: Redactor, scope: Scope, reserved = ''): RevealedArguments {
  return hideWithOriginals(text, redactor, scope, reserved).shown;
}

/**
 * Like `hideParts`, and also returns the hidden values. Each placeholder occurs once, and nowhere in the arguments themselves or in
 * `reserved`, so that it identifies its part wherever a human moves it. It depends only on the canonical form of the arguments, and
 * is the same in both scopes.
 */
export function hideWithOriginals(text: string, redactor: Redactor, scope: Scope, reserved = ''): Hiding {
  const isTooLong = text.length > maxShownArguments;
  if (scope === 'everything' && isTooLong) return hideTooLong(text);
  const hidden: HiddenPart[] = [];
  const originals = new Map<string, JsonValue>();
  const unique = createPlaceholders(text + reserved);
  const shown = hideInValue(JSON.parse(text) as JsonObject, '', undefined) as JsonObject;
  if (hidden.length > maxHiddenParts)
    return hideAll(text, `[redacted: arguments with ${hidden.length} hidden parts, too many to list]`, 'size');
  // The quotes and braces of the document, or a placeholder with its surroundings, can form a registered value.
  if (registeredIn(JSON.stringify(shown)).some(isHidden)) return hideAll(text, redactor.placeholder(), 'pattern');
  return { shown: { arguments: shown, hidden }, originals };

  function hideInValue(value: JsonValue, path: string, key: string | undefined): JsonValue {
    if (Array.isArray(value)) {
      const items: readonly JsonValue[] = value;
      return items.map((item, index) => hideInValue(item, `${path}/${index}`, key));
    }
    if (isJsonObject(value)) return hideInObject(value, path);
    if (typeof value === 'string') {
      const { text: shownText, parts } = hideInText(value, spansIn(value, key));
      hidden.push(...parts.map((part) => ({ path, ...part })));
      return shownText;
    }
    const source = JSON.stringify(value);
    const [registered] = registeredIn(source);
    if (registered === undefined && (typeof value !== 'number' || !isSecret(key))) return value;
    const kind = registered?.kind ?? 'key';
    const placeholder = unique(registered?.placeholder ?? redactor.placeholder());
    if (!isHidden({ kind })) return value;
    hidden.push({ path, start: 0, length: source.length, kind, placeholder });
    originals.set(placeholder, value);
    return placeholder;
  }

  function hideInObject(value: JsonObject, path: string): JsonObject {
    const names = new Set<string>();
    const shownEntries: [string, JsonValue][] = [];
    // The order of keys is not part of the call that an approval is bound to, so placeholders must not depend on it.
    const entries = Object.entries(value).map(([name, each], index) => ({ name, each, index }));
    for (const { name, each, index } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const { text: hiddenName, parts } = hideInText(name, spansIn(name, undefined));
      const shownName = unusedName(hiddenName, names);
      const inside = `${path}/${shownName.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      hidden.push(...parts.map((part) => ({ path: inside, ...part, inName: true as const })));
      shownEntries[index] = [shownName, hideInValue(each, inside, name)];
    }
    return Object.fromEntries(shownEntries);
  }

  function hideInText(value: string, spans: readonly Span[]): { text: string; parts: Omit<HiddenPart, 'path'>[] } {
    const parts: Omit<HiddenPart, 'path'>[] = [];
    let result = '';
    let copied = 0;
    for (const { start, end, kind, placeholder: name } of spans) {
      const placeholder = unique(name);
      if (!isHidden({ kind })) continue;
      result += value.slice(copied, start);
      parts.push({ start: result.length, length: end - start, kind, placeholder });
      originals.set(placeholder, value.slice(start, end));
      result += placeholder;
      copied = end;
    }
    return { text: result + value.slice(copied), parts };
  }

  function isHidden({ kind }: Pick<Span, 'kind'>): boolean {
    return scope === 'everything' || kind === 'registered';
  }

  function spansIn(value: string, key: string | undefined): readonly Span[] {
    const registered = registeredIn(value);
    if (isTooLong) return registered;
    if (isSecret(key) && value !== '') return mergeSpans([keySpan(0, value.length)], registered);
    const patterns = findSecretPatterns(value).map(({ name, start, end }): Span => ({
      start,
      end,
      kind: 'pattern',
      placeholder: redactor.placeholder(name),
    }));
    return mergeSpans([...patterns, ...keySpans(value)], registered);
  }

  /** Returns the registered values in a text. A value that a server chose has the kind `pattern`, so that it can be revealed. */
  function registeredIn(value: string): readonly Span[] {
    return redactor
      .find(value)
      .map(({ isForeign, ...span }): Span => ({ ...span, kind: isForeign ? 'pattern' : 'registered' }));
  }

  /** Returns the values of secret keys in a text that is itself a JSON document. */
  function keySpans(value: string): readonly Span[] {
    if (!mayContainSecretKey(value) || !isJsonDocument(value)) return [];
    const spans: Span[] = [];
    rewriteJsonTokens(value, ({ kind, key, source, start }) => {
      // The span excludes the quotes, so that the text stays valid JSON.
      const quote = kind === 'string' ? 1 : 0;
      if ((kind === 'string' || kind === 'number') && isSecret(key) && source.length > 2 * quote)
        spans.push(keySpan(start + quote, start + source.length - quote));
      return source;
    });
    return spans;
  }

  function keySpan(start: number, end: number): Span {
    return { start, end, kind: 'key', placeholder: redactor.placeholder() };
  }
}

function isSecret(key: string | undefined): boolean {
  return key !== undefined && isSecretKey(key);
}

/** Returns the form of arguments that are too long for an approval. None of them are shown. */
function hideTooLong(text: string): Hiding {
  return hideAll(text, `[redacted: ${text.length} characters of arguments, too many to show]`, 'size');
}

function hideAll(text: string, placeholder: string, kind: HiddenKind): Hiding {
  const hidden = [{ path: '/…', start: 0, length: text.length, kind, placeholder }];
  return { shown: { arguments: { '…': placeholder }, hidden }, originals: new Map() };
}

/** Matches text that looks like a placeholder, whether or not it is one. */
export const placeholderStart = /\[(?:redacted|●)/i;

/** Returns a function that makes placeholders unique, and different from every text in the arguments: `[redacted:password#2]`. */
function createPlaceholders(text: string): (placeholder: string) => string {
  const used = new Set(text.match(/\[(?:redacted|●)[^[\]]*\]/g));
  const counts = new Map<string, number>();
  return (placeholder) => {
    if (placeholder === '') return placeholder;
    // Without brackets or escapes inside, two placeholders never overlap, and each is found again in edited text.
    const base = /^\[[^[\]"\\\p{Cc}\p{Cs}]*\]$/u.test(placeholder) ? placeholder : neutralPlaceholder;
    for (let number = (counts.get(base) ?? 0) + 1; ; number += 1) {
      const candidate = number === 1 ? base : `${base.slice(0, -1)}#${number}]`;
      if (used.has(candidate)) continue;
      counts.set(base, number);
      used.add(candidate);
      return candidate;
    }
  };
}

/** Returns a unique name. Two names can become equal only where no placeholder is safe, and a hidden part is replaced by nothing. */
function unusedName(name: string, names: Set<string>): string {
  let unused = name;
  for (let number = 2; names.has(unused); number += 1) unused = `${name} (${number})`;
  names.add(unused);
  return unused;
}

/** Returns all spans in order without overlaps. Registered values take precedence; the others are reduced to the parts outside them. */
function mergeSpans(others: readonly Span[], registered: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  let next = 0;
  let end = 0;
  for (const other of others.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    let start = Math.max(other.start, end);
    for (; next < registered.length; next += 1) {
      const known = registered[next];
      if (known === undefined || known.start >= other.end) break;
      if (start < known.start) result.push({ ...other, start, end: known.start });
      result.push(known);
      start = Math.max(start, known.end);
    }
    if (start < other.end) result.push({ ...other, start });
    end = Math.max(end, start, other.end);
  }
  return [...result, ...registered.slice(next)];
}
