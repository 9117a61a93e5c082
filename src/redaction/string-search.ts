/** A stretch of text that holds one wanted string, or several that overlap. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The longest wanted string in the stretch. */
  readonly wanted: string;
}

/** Looks for many strings at once. */
export interface StringSearch {
  test(text: string): boolean;
  /** Every stretch that holds a wanted string, in order, overlaps merged. */
  spans(text: string): Span[];
}

interface Occurrence {
  readonly start: number;
  readonly wanted: string;
}

type FindFrom = (text: string, from: number) => Occurrence | undefined;

// The shortest string decides how far the search may skip; short ones therefore get a table of their own.
const SHORT = 8;

export function createStringSearch(wanted: readonly string[]): StringSearch {
  const short = wanted.filter((one) => one.length < SHORT);
  const long = wanted.filter((one) => one.length >= SHORT);
  const groups = [short, long].filter((group) => group.length > 0).map(createSkippingSearch);
  return {
    test: (text) => {
      for (const find of groups) if (find(text, 0) !== undefined) return true;
      return false;
    },
    spans: (text) => merge(groups.flatMap((find) => spansOf(find, text)).toSorted((a, b) => a.start - b.start)),
  };
}

/** A line break as programs put into long lines, with what stands around it: quoted-printable, shells and indented blocks. In JSON text it is escaped. */
const LINE_BREAK = /[=\\]?(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]*/g;

/** Finds the same strings also where line breaks were put into them. */
export function createUnwrappingSearch(wanted: readonly string[]): StringSearch {
  const search = createStringSearch(wanted);
  // A value may have line breaks itself, and be wrapped at others.
  const joinedOf = new Map(wanted.map((one) => [one.replace(LINE_BREAK, ''), one]));
  const wrappable = [...joinedOf.keys()].filter((one) => one.length >= SHORT);
  // Most boxes have no secrets, and every entry is searched.
  if (wrappable.length === 0) return search;
  const unwrapped = createStringSearch(wrappable);
  return {
    test: (text) => search.test(text) || (hasLineBreak(text) && unwrapped.test(text.replace(LINE_BREAK, ''))),
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

/** Takes the line breaks out of a text. `placeOf` tells where a character of the rest was. */
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
  for (const { index, 0: lineBreak } of text.matchAll(LINE_BREAK)) {
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

/** Tells how many characters at the end of a text are the beginning of a wanted string, and not all of it: the most that are. */
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

const TABLE_SIZE = 8192;
const LONGEST_SKIP = 255;

function hash(first: number, second: number): number {
  return ((first << 6) ^ second) & (TABLE_SIZE - 1);
}

/**
 * Wu and Manber's search: looks at pairs of characters and skips as far as the nearest wanted string allows.
 * One regular expression of all alternatives, or one `indexOf` for each, took fifty times longer.
 */
function createSkippingSearch(wanted: readonly string[]): FindFrom {
  const window = Math.min(LONGEST_SKIP, ...wanted.map((one) => one.length));
  const lastPair = window - 2;
  const skips = new Uint8Array(TABLE_SIZE).fill(window - 1);
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
