/** A range of a text that contains one wanted string, or several overlapping ones. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The longest wanted string in the range. */
  readonly wanted: string;
}

/** A search for many strings at once. */
export interface StringSearch {
  test(text: string): boolean;
  /** Returns every range that contains a wanted string, in order, with overlaps merged. */
  spans(text: string): Span[];
}

interface Occurrence {
  readonly start: number;
  readonly wanted: string;
}

type FindFrom = (text: string, from: number) => Occurrence | undefined;

// The shortest string limits how far the search can skip, so short strings get a separate table.
const minLongLength = 8;

/** Creates a search for the given strings. */
export function createStringSearch(wanted: readonly string[]): StringSearch {
  const short = wanted.filter((one) => one.length < minLongLength);
  const long = wanted.filter((one) => one.length >= minLongLength);
  const groups = [short, long].filter((group) => group.length > 0).map(createSkippingSearch);
  return {
    test: (text) => {
      for (const find of groups) if (find(text, 0) !== undefined) return true;
      return false;
    },
    spans: (text) => merge(groups.flatMap((find) => spansOf(find, text)).toSorted((a, b) => a.start - b.start)),
  };
}

/** A line break inside a wrapped line, with its surroundings: quoted-printable, shell continuation, indentation. In JSON text it is escaped. */
const lineBreakPattern = /[=\\]?(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]*/g;

/** Creates a search that also finds strings that were wrapped with line breaks. */
export function createUnwrappingSearch(wanted: readonly string[]): StringSearch {
  const search = createStringSearch(wanted);
  // A value may contain line breaks itself, and be wrapped at other positions.
  const joinedOf = new Map(wanted.map((one) => [one.replace(lineBreakPattern, ''), one]));
  const wrappable = [...joinedOf.keys()].filter((one) => one.length >= minLongLength);
  // Most boxes have no secrets, and every entry is searched.
  if (wrappable.length === 0) return search;
  const unwrapped = createStringSearch(wrappable);
  return {
    test: (text) => search.test(text) || (hasLineBreak(text) && unwrapped.test(text.replace(lineBreakPattern, ''))),
    spans: (text) => {
      const plain = search.spans(text);
      if (!hasLineBreak(text)) return plain;
      const { joined, placeOf } = unwrap(text);
      const across = unwrapped.spans(joined).map(({ start, end, wanted: found }) => ({
        start: placeOf(start),
        end: placeOf(end - 1) + 1,
        wanted: joinedOf.get(found) ?? found,
      }));
      return merge([...plain, ...across].toSorted((a, b) => a.start - b.start));
    },
  };
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\\n');
}

/** Removes the line breaks from a text. `placeOf` maps an index to the original position. */
function unwrap(text: string): { readonly joined: string; placeOf(index: number): number } {
  const starts: number[] = [];
  const places: number[] = [];
  let joined = '';
  let from = 0;
  const take = (to: number): void => {
    starts.push(joined.length);
    places.push(from);
    joined += text.slice(from, to);
  };
  for (const { index, 0: lineBreak } of text.matchAll(lineBreakPattern)) {
    take(index);
    from = index + lineBreak.length;
  }
  take(text.length);
  return {
    joined,
    placeOf: (index) => {
      // The last piece that begins at or before the index.
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return (places[low] ?? 0) + index - (starts[low] ?? 0);
    },
  };
}

/** Creates a function that returns the length of the longest suffix of a text that is a proper prefix of a wanted string. */
export function createPrefixSearch(wanted: readonly string[]): (text: string) => number {
  const byFirst = Map.groupBy(wanted, (one) => one.charAt(0));
  const longest = Math.max(1, ...wanted.map((one) => one.length));
  return (text) => {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
      const rest = text.length - start;
      const candidates = byFirst.get(text.charAt(start)) ?? [];
      if (candidates.some((one) => one.length > rest && text.endsWith(one.slice(0, rest)))) return rest;
    }
    return 0;
  };
}

const tableSize = 8192;
const maxSkip = 255;

function hash(first: number, second: number): number {
  return ((first << 6) ^ second) & (tableSize - 1);
}

/**
 * Creates a Wu–Manber search, which reads pairs of characters and skips as far as the nearest wanted string allows.
 * A single regular expression with all alternatives, or one `indexOf` for each string, took fifty times longer.
 */
function createSkippingSearch(wanted: readonly string[]): FindFrom {
  const window = Math.min(maxSkip, ...wanted.map((one) => one.length));
  const lastPair = window - 2;
  const skips = new Uint8Array(tableSize).fill(window - 1);
  const candidates = new Map<number, string[]>();
  for (const one of wanted.toSorted((a, b) => b.length - a.length)) {
    for (let index = 0; index <= lastPair; index += 1) {
      const key = hash(one.charCodeAt(index), one.charCodeAt(index + 1));
      skips[key] = Math.min(skips[key] ?? 0, lastPair - index);
    }
    const key = hash(one.charCodeAt(lastPair), one.charCodeAt(lastPair + 1));
    candidates.set(key, [...(candidates.get(key) ?? []), one]);
  }

  return (text, from) => {
    const end = text.length - 1;
    let position = from + lastPair;
    while (position < end) {
      const key = hash(text.charCodeAt(position), text.charCodeAt(position + 1));
      const skip = skips[key] ?? 0;
      if (skip > 0) {
        position += skip;
        continue;
      }
      const start = position - lastPair;
      for (const one of candidates.get(key) ?? []) if (text.startsWith(one, start)) return { start, wanted: one };
      position += 1;
    }
    return undefined;
  };
}

function spansOf(find: FindFrom, text: string): Span[] {
  const spans: Span[] = [];
  let found = find(text, 0);
  while (found !== undefined) {
    append(spans, { start: found.start, end: found.start + found.wanted.length, wanted: found.wanted });
    found = find(text, found.start + 1);
  }
  return spans;
}

function merge(ordered: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of ordered) append(merged, span);
  return merged;
}

function append(spans: Span[], next: Span): void {
  const last = spans.at(-1);
  if (last === undefined || last.end <= next.start) {
    spans.push(next);
    return;
  }
  const wanted = next.wanted.length > last.wanted.length ? next.wanted : last.wanted;
  spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, next.end), wanted };
}
