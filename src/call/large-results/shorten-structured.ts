import { type JsonObject, type JsonValue, isJsonObject } from '../../model/json.ts';
import { cutText } from './cut-text.ts';
import { jsonBytes } from './result-size.ts';

/** How structured content is to be shortened. */
export interface StructuredOptions {
  /** The size to aim for, in bytes of JSON. */
  readonly aimBytes: number;
  /** The most that is handed out. */
  readonly maxBytes: number;
  /** Pictures, sounds and files: neither counted nor cut. */
  readonly media: ReadonlySet<string>;
  /** Those of them that have to go. */
  readonly tooLarge: ReadonlySet<string>;
  /** Tells where the rest of the longest string can be read; put behind what is left of it. */
  readonly pointer: string;
  /** Tells whether the value still fits the output schema of its tool. */
  isValid(value: JsonValue): boolean;
}

/** A shortened value, with what became of each string that was cut. */
export interface ShortenedStructure {
  readonly value: JsonValue;
  readonly strings: ReadonlyMap<string, string>;
}

/** One thing that can be made smaller: a string, wherever it occurs, or the items of one array or object. */
type Cut =
  | { readonly kind: 'string'; readonly from: string; readonly marked: string; readonly plain: string }
  | { readonly kind: 'items'; readonly from: object; readonly items: number };

/** Cuts in force: strings by what they become, containers by how many items stay. */
interface Applied {
  readonly strings: Map<string, string>;
  readonly items: Map<object, number>;
}

/** Each validation of a large value takes a while, in which everybody waits. */
const maxValidations = 48;
/** Strings are cut down to this, then to less where that is not enough. */
const shortestStrings = [200, 40, 0];
/** Objects with more entries are taken for maps, which can lose some like an array. */
const minMapEntries = 50;

/**
 * Makes structured content small enough while it still fits its schema: long strings are cut, then arrays and maps. Returns
 * `undefined` when nothing that fits the schema is small enough.
 */
export function shortenStructured(value: JsonValue, options: StructuredOptions): ShortenedStructure | undefined {
  // A value that never was valid is shortened all the same: its client judges it as the server sent it.
  const judge = new Judge(options.isValid(value) ? (each) => options.isValid(each) : () => true);
  for (const shortest of shortestStrings) {
    const applied = judge.accept(value, planCuts(value, options, shortest));
    const made = rebuilt(value, applied);
    if (jsonBytes(made, options.media) <= options.maxBytes) return { value: made, strings: applied.strings };
  }
  return undefined;
}

/** Finds out which cuts leave the value valid, with a bounded number of validations. */
class Judge {
  readonly #isValid: (value: JsonValue) => boolean;
  #left = maxValidations;

  constructor(isValid: (value: JsonValue) => boolean) {
    this.#isValid = isValid;
  }

  /** Returns as many of the cuts as are valid together: all of them, or what is found by halving. */
  accept(value: JsonValue, cuts: readonly Cut[]): Applied {
    let accepted: Applied = { strings: new Map(), items: new Map() };
    const attempt = (group: readonly Cut[]): void => {
      if (group.length === 0) return;
      for (const style of ['marked', 'plain'] as const) {
        if (this.#left === 0) return;
        this.#left -= 1;
        const tried = withCuts(accepted, group, style);
        if (this.#isValid(rebuilt(value, tried))) {
          accepted = tried;
          return;
        }
      }
      if (group.length === 1) return;
      const half = Math.ceil(group.length / 2);
      attempt(group.slice(0, half));
      attempt(group.slice(half));
    };
    attempt(cuts);
    return accepted;
  }
}

function withCuts({ strings, items }: Applied, cuts: readonly Cut[], style: 'marked' | 'plain'): Applied {
  const applied = { strings: new Map(strings), items: new Map(items) };
  for (const cut of cuts)
    if (cut.kind === 'string') applied.strings.set(cut.from, cut[style]);
    else applied.items.set(cut.from, cut.items);
  return applied;
}

/** The cuts that would make the value as small as wanted, those that save most first. */
function planCuts(value: JsonValue, options: StructuredOptions, shortest: number): readonly Cut[] {
  const { media, tooLarge, aimBytes } = options;
  const found: Found = { strings: new Map(), containers: [] };
  find(value, found);
  const removed = [...tooLarge].map((from): Cut => ({ kind: 'string', from, marked: '', plain: '' }));
  const long = [...found.strings].filter(([each]) => !media.has(each)).map(([each, count]) => measured(each, count));
  const bytes = jsonBytes(value, media);
  if (bytes <= aimBytes) return removed;
  const cap = stringCap(long, bytes - aimBytes, shortest);
  const cuts = long
    .filter((each) => each.bytes > cap)
    .toSorted((one, other) => other.bytes - one.bytes)
    .map((each, index) => stringCut(each, cap, index === 0 ? options.pointer : undefined));
  const after = new Map(cuts.map(({ from, marked }) => [from, marked]));
  const items = itemCap(value, after, media, aimBytes);
  if (items === undefined) return [...removed, ...cuts];
  const containers = found.containers
    .filter((each) => countOf(each) > items)
    .map((from): Cut => ({ kind: 'items', from, items }));
  return [...removed, ...containers, ...cuts];
}

interface Found {
  /** How often each string occurs. */
  readonly strings: Map<string, number>;
  readonly containers: object[];
}

function find(value: JsonValue, found: Found): void {
  if (typeof value === 'string') found.strings.set(value, (found.strings.get(value) ?? 0) + 1);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) || Object.keys(value).length > minMapEntries) found.containers.push(value);
  for (const each of Object.values(value) as JsonValue[]) find(each, found);
}

interface LongString {
  readonly text: string;
  /** As JSON. */
  readonly bytes: number;
  readonly count: number;
}

function measured(each: string, count: number): LongString {
  return { text: each, bytes: Buffer.byteLength(JSON.stringify(each)), count };
}

/** The size that strings are cut to, so that all together save as much as is needed: the longest ones are cut, short ones stay. */
function stringCap(strings: readonly LongString[], needed: number, shortest: number): number {
  const sorted = strings.toSorted((one, other) => other.bytes - one.bytes);
  let saved = 0;
  let cutCount = 0;
  for (const [index, { bytes, count }] of sorted.entries()) {
    cutCount += count;
    const next = Math.max(shortest, sorted[index + 1]?.bytes ?? 0);
    if (bytes <= shortest) return shortest;
    const gain = (bytes - next) * cutCount;
    if (saved + gain >= needed) return Math.max(shortest, Math.floor(bytes - (needed - saved) / cutCount));
    saved += gain;
  }
  return shortest;
}

function stringCut({ text, bytes }: LongString, cap: number, pointer: string | undefined): Cut & { kind: 'string' } {
  const rawBytes = Buffer.byteLength(text);
  const cutTo = (room: number): string => cutText(text, Math.max(0, Math.floor((room * rawBytes) / bytes) - 2));
  const plain = cutTo(cap);
  if (cap < 2 * markBytes) return { kind: 'string', from: text, marked: plain, plain };
  const shown = cutTo(cap - (pointer === undefined ? 0 : Buffer.byteLength(pointer)) - markBytes);
  const mark = `[… ${text.length - shown.length} more characters${pointer === undefined ? '' : `: ${pointer}`}]`;
  return { kind: 'string', from: text, marked: `${shown}${mark}`, plain };
}

const markBytes = 40;

/** How many items arrays and maps may keep so that the value is small enough; `undefined` when it is without cutting any. */
function itemCap(
  value: JsonValue,
  strings: ReadonlyMap<string, string>,
  media: ReadonlySet<string>,
  aimBytes: number,
): number | undefined {
  const fits = (items: number): boolean => cappedBytes(value, items, strings, media, aimBytes) <= aimBytes;
  if (fits(Number.POSITIVE_INFINITY)) return undefined;
  let [low, high] = [0, aimBytes];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** About how large the value would be. Stops as soon as it is more than `limit`. */
function cappedBytes(
  value: JsonValue,
  items: number,
  strings: ReadonlyMap<string, string>,
  media: ReadonlySet<string>,
  limit: number,
): number {
  if (typeof value === 'string')
    return media.has(value) ? 2 : Buffer.byteLength(JSON.stringify(strings.get(value) ?? value));
  if (typeof value !== 'object' || value === null) return String(value).length;
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const count = keys?.length ?? countOf(value);
  const most = keys === undefined || count > minMapEntries ? Math.min(items, count) : count;
  let bytes = 2;
  for (let index = 0; index < most && bytes <= limit; index += 1) {
    const key = keys?.[index];
    if (key !== undefined) bytes += Buffer.byteLength(JSON.stringify(key)) + 1;
    const each = (value as JsonObject)[key ?? index] as JsonValue;
    bytes += cappedBytes(each, items, strings, media, limit - bytes) + 1;
  }
  return bytes;
}

function countOf(container: object): number {
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

function rebuilt(value: JsonValue, { strings, items }: Applied): JsonValue {
  const rebuild = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return strings.get(part) ?? part;
    if (isJsonObject(part)) {
      const entries = Object.entries(part).slice(0, items.get(part));
      return Object.fromEntries(entries.map(([key, each]) => [key, rebuild(each)]));
    }
    return Array.isArray(part) ? (part as readonly JsonValue[]).slice(0, items.get(part)).map(rebuild) : part;
  };
  return rebuild(value);
}
