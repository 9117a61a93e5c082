import { isJsonDocument, rewriteJsonTokens } from '../../redaction/json-tokens.ts';
import type { Redactor } from '../../redaction/redactor.ts';
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

/**
 * Returns the arguments as a human sees them, with every hidden part. Unlike the redaction of the journal, which may remove
 * too much, this removes only the secret itself, because the rest of the text is what runs.
 */
export function hideParts(text: string, redactor: Redactor, scope: Scope): RevealedArguments {
  if (scope === 'everything' && text.length > maxShownArguments) return hideTooLong(text);
  const hidden: HiddenPart[] = [];
  const shown = hideInValue(JSON.parse(text) as JsonObject, '', undefined) as JsonObject;
  if (hidden.length > maxHiddenParts)
    return hideAll(text, `arguments with ${hidden.length} hidden parts, too many to list`, 'size');
  // The quotes and braces of the document, or a placeholder with its surroundings, can form a registered value.
  if (registeredIn(JSON.stringify(shown)).length > 0) return hideAll(text, redactor.placeholder(), 'pattern');
  return { arguments: shown, hidden };

  function hideInValue(value: JsonValue, path: string, key: string | undefined): JsonValue {
    if (Array.isArray(value)) {
      const items: readonly JsonValue[] = value;
      return items.map((item, index) => hideInValue(item, `${path}/${index}`, key));
    }
    if (isJsonObject(value)) return hideInObject(value, path);
    if (typeof value === 'string') return hideInText(value, path, spansIn(value, key));
    const source = JSON.stringify(value);
    const [registered] = registeredIn(source);
    if (registered === undefined && (typeof value !== 'number' || !isSecret(key))) return value;
    const placeholder = registered?.placeholder ?? redactor.placeholder();
    const kind = registered?.kind ?? 'key';
    hidden.push({ path, start: 0, length: source.length, kind, placeholder });
    return placeholder;
  }

  function hideInObject(value: JsonObject, path: string): JsonObject {
    const names = new Set<string>();
    const entries = Object.entries(value).map(([name, each]): [string, JsonValue] => {
      const spans = spansIn(name, undefined);
      const shownName = unusedName(replaceSpans(name, spans), names);
      const inside = `${path}/${shownName.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (spans.length > 0) hideInText(name, inside, spans, true);
      return [shownName, hideInValue(each, inside, name)];
    });
    return Object.fromEntries(entries);
  }

  function hideInText(value: string, path: string, spans: readonly Span[], inName = false): string {
    let moved = 0;
    for (const { start, end, kind, placeholder } of spans) {
      const part = { path, start: start + moved, length: end - start, kind, placeholder };
      hidden.push(inName ? { ...part, inName } : part);
      moved += placeholder.length - (end - start);
    }
    return replaceSpans(value, spans);
  }

  function spansIn(value: string, key: string | undefined): readonly Span[] {
    const registered = registeredIn(value);
    if (scope === 'registered') return registered;
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
    return redactor.find(value).flatMap(({ isForeign, ...span }): Span[] => {
      if (isForeign && scope === 'registered') return [];
      return [{ ...span, kind: isForeign ? 'pattern' : 'registered' }];
    });
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
function hideTooLong(text: string): RevealedArguments {
  return hideAll(text, `${text.length} characters of arguments, too many to show`, 'size');
}

function hideAll(text: string, placeholder: string, kind: HiddenKind): RevealedArguments {
  return {
    arguments: { '…': placeholder },
    hidden: [{ path: '/…', start: 0, length: text.length, kind, placeholder }],
  };
}

function replaceSpans(value: string, spans: readonly Span[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end, placeholder } of spans) {
    result += value.slice(copied, start) + placeholder;
    copied = end;
  }
  return spans.length === 0 ? value : result + value.slice(copied);
}

/** Returns a unique name, so that two names that differ only in a hidden part stay separate properties. */
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
