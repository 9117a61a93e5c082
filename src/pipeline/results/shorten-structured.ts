import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { truncateUtf8 } from './truncate-utf8.ts';
import { jsonBytes } from './result-size.ts';

/** Options of `shortenStructured`. */
export interface StructuredOptions {
  /** The target size, in bytes of JSON. */
  readonly targetBytes: number;
  /** The largest size that is accepted, in bytes of JSON. */
  readonly maxBytes: number;
  /** Pictures, sounds and files: neither counted nor cut. */
  readonly media: ReadonlySet<string>;
  /** The media that are over their limit and have to be removed. */
  readonly tooLarge: ReadonlySet<string>;
  /** The reference to the full result; appended to the longest string that was cut. */
  readonly reference: string;
  /** Returns whether the value still fits the output schema of its tool. Throws when the check takes longer than `maxMs`. */
  isValid(value: JsonValue, maxMs: number): boolean;
  /** The time for all validations together (500 ms). */
  readonly maxValidationMs?: number;
}

/** A shortened value, and the replacement of each string that was cut. */
export interface ShortenedStructure {
  readonly value: JsonValue;
  readonly strings: ReadonlyMap<string, string>;
}

/** One thing that can be made smaller: a string, wherever it occurs, or the items of one array or object. */
type Cut =
  | { readonly kind: 'string'; readonly from: string; readonly marked: string; readonly plain: string }
  | { readonly kind: 'items'; readonly from: object; readonly items: number };

/** The cuts that are applied: the replacement of each string, and the number of items that each container retains. */
interface Applied {
  readonly strings: Map<string, string>;
  readonly items: Map<object, number>;
}

/** Validating a large value blocks the event loop, so the number of validations of a result and their total time are bounded. */
const maxValidations = 48;
const defaultMaxValidationMs = 500;
/** Strings are cut to the first length; shorter ones are tried while the value is still too large. */
const minStringLengths = [200, 40, 0];
/** Objects with more entries are treated as maps, from which entries can be removed as from an array. */
const minMapEntries = 50;

/**
 * Makes structured content small enough while it still fits its schema: long strings are cut, then arrays and maps. Returns
 * `undefined` when nothing that fits the schema is small enough, or when finding it takes too long.
 */
export function shortenStructured(value: JsonValue, options: StructuredOptions): ShortenedStructure | undefined {
  const validator = new CutValidator(value, options);
  for (const shortest of minStringLengths) {
    if (validator.isExhausted) return undefined;
    const applied = validator.accept(planCuts(value, options, shortest));
    const made = rebuild(value, applied);
    if (jsonBytes(made, options.media) <= options.maxBytes) return { value: made, strings: applied.strings };
  }
  return undefined;
}

/** Determines which cuts leave a value valid, with a bounded number of validations in a bounded time. */
class CutValidator {
  readonly #value: JsonValue;
  readonly #isValid: StructuredOptions['isValid'];
  /** A value that was invalid from the start is shortened without validation: validating it is left to the client. */
  readonly #wasValid: boolean;
  #left = maxValidations;
  #leftMs: number;

  constructor(value: JsonValue, { isValid, maxValidationMs = defaultMaxValidationMs }: StructuredOptions) {
    this.#value = value;
    this.#isValid = isValid;
    this.#leftMs = maxValidationMs;
    this.#wasValid = this.#isValidInTime(() => value);
  }

  /** Whether no more cuts can be validated. */
  get isExhausted(): boolean {
    return this.#left <= 0 || this.#leftMs <= 0;
  }

  /** Returns the cuts that are valid together: all of them, or a subset found by bisection. */
  accept(cuts: readonly Cut[]): Applied {
    let accepted: Applied = { strings: new Map(), items: new Map() };
    const attempt = (group: readonly Cut[]): void => {
      if (group.length === 0) return;
      for (const style of ['marked', 'plain'] as const) {
        if (this.isExhausted) return;
        this.#left -= 1;
        const tried = withCuts(accepted, group, style);
        if (!this.#wasValid || this.#isValidInTime(() => rebuild(this.#value, tried))) {
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

  #isValidInTime(build: () => JsonValue): boolean {
    const start = performance.now();
    try {
      return this.#isValid(build(), Math.ceil(this.#leftMs));
    } catch {
      this.#leftMs = 0;
      return false;
    } finally {
      this.#leftMs -= performance.now() - start;
    }
  }
}

function withCuts({ strings, items }: Applied, cuts: readonly Cut[], style: 'marked' | 'plain'): Applied {
  const applied = { strings: new Map(strings), items: new Map(items) };
  for (const cut of cuts)
    if (cut.kind === 'string') applied.strings.set(cut.from, cut[style]);
    else applied.items.set(cut.from, cut.items);
  return applied;
}

/** Returns the cuts that would reduce the value to the target size, those that save most first. */
function planCuts(value: JsonValue, options: StructuredOptions, shortest: number): readonly Cut[] {
  const { media, tooLarge, targetBytes } = options;
  const found: Cuttable = { strings: new Map(), containers: [] };
  collectCuttable(value, found);
  const removed = [...tooLarge].map((from): Cut => ({ kind: 'string', from, marked: '', plain: '' }));
  const long = [...found.strings]
    .filter(([each]) => !media.has(each))
    .map(([each, count]) => measureString(each, count));
  const bytes = jsonBytes(value, media);
  if (bytes <= targetBytes) return removed;
  const cap = stringCap(long, bytes - targetBytes, shortest);
  const cuts = long
    .filter((each) => each.bytes > cap)
    .toSorted((one, other) => other.bytes - one.bytes)
    .map((each, index) => stringCut(each, cap, index === 0 ? options.reference : undefined));
  const after = new Map(cuts.map(({ from, marked }) => [from, marked]));
  const items = itemCap(value, after, media, targetBytes);
  if (items === undefined) return [...removed, ...cuts];
  const containers = found.containers
    .filter((each) => countOf(each) > items)
    .map((from): Cut => ({ kind: 'items', from, items }));
  return [...removed, ...containers, ...cuts];
}

interface Cuttable {
  /** The number of occurrences of each string. */
  readonly strings: Map<string, number>;
  readonly containers: object[];
}

function collectCuttable(value: JsonValue, found: Cuttable): void {
  if (typeof value === 'string') found.strings.set(value, (found.strings.get(value) ?? 0) + 1);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) || Object.keys(value).length > minMapEntries) found.containers.push(value);
  for (const each of Object.values(value) as JsonValue[]) collectCuttable(each, found);
}

interface LongString {
  readonly text: string;
  /** The size as JSON. */
  readonly bytes: number;
  readonly count: number;
}

function measureString(each: string, count: number): LongString {
  return { text: each, bytes: Buffer.byteLength(JSON.stringify(each)), count };
}

/** Returns the size to cut strings to so that together they save `needed` bytes. Only the longest strings are longer than it. */
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

function stringCut({ text, bytes }: LongString, cap: number, reference: string | undefined): Cut & { kind: 'string' } {
  const rawBytes = Buffer.byteLength(text);
  const cutTo = (room: number): string => truncateUtf8(text, Math.max(0, Math.floor((room * rawBytes) / bytes) - 2));
  const plain = cutTo(cap);
  if (cap < 2 * markBytes) return { kind: 'string', from: text, marked: plain, plain };
  const shown = cutTo(cap - (reference === undefined ? 0 : Buffer.byteLength(reference)) - markBytes);
  const mark = `[… ${text.length - shown.length} more characters${reference === undefined ? '' : `: ${reference}`}]`;
  return { kind: 'string', from: text, marked: `${shown}${mark}`, plain };
}

const markBytes = 40;

/** Returns the number of items that arrays and maps may retain for the value to be small enough; `undefined` when none has to be cut. */
function itemCap(
  value: JsonValue,
  strings: ReadonlyMap<string, string>,
  media: ReadonlySet<string>,
  targetBytes: number,
): number | undefined {
  const fits = (items: number): boolean => cappedBytes(value, items, strings, media, targetBytes) <= targetBytes;
  if (fits(Number.POSITIVE_INFINITY)) return undefined;
  let [low, high] = [0, targetBytes];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Estimates the size of the capped value. Stops counting above `limit`. */
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
  const shownCount = keys === undefined || count > minMapEntries ? Math.min(items, count) : count;
  let bytes = 2;
  for (let index = 0; index < shownCount && bytes <= limit; index += 1) {
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

function rebuild(value: JsonValue, { strings, items }: Applied): JsonValue {
  const rebuildPart = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return strings.get(part) ?? part;
    if (isJsonObject(part)) {
      const entries = Object.entries(part).slice(0, items.get(part));
      return Object.fromEntries(entries.map(([key, each]) => [key, rebuildPart(each)]));
    }
    return Array.isArray(part) ? (part as readonly JsonValue[]).slice(0, items.get(part)).map(rebuildPart) : part;
  };
  return rebuildPart(value);
}
