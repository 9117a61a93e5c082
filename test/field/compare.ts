import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { expectedCall, expectedDefinition, expectedInitialize, isBuiltin, renamesIn } from './documented-transforms.ts';
import { jsonText } from './json-text.ts';
import type { Observation } from './observe.ts';
import type { Mask } from './server-list.ts';

/** A place where a server reads differently behind Signalbox, without a documented transform or a mask that explains it. */
export interface Difference {
  /** Such as `tools.browser_click.inputSchema.properties.ref`. */
  readonly path: string;
  /** Shortened JSON; `absent` when there is no such value. */
  readonly bare: string;
  readonly behind: string;
}

const maxShownChars = 160;
const maxDifferences = 200;

/** Compares what a client sees of a server with what it sees of the same server behind Signalbox. */
export function compareObservations(
  server: string,
  bare: Observation,
  behind: Observation,
  masks: readonly Mask[] = [],
): readonly Difference[] {
  const mask = masking(masks);
  const expected = {
    ...bare,
    tools: bare.tools.map(expectedDefinition),
    prompts: bare.prompts.map(expectedDefinition),
    resources: bare.resources.map(expectedDefinition),
    resourceTemplates: bare.resourceTemplates.map(expectedDefinition),
    calls: bare.calls.map(expectedCall),
  };
  const actual = {
    ...behind,
    tools: withOwnNames(server, bare.tools, behind.tools),
    prompts: withOwnNames(server, bare.prompts, behind.prompts),
  };
  const initialize = expectedInitialize(server, bare.initialize, behind.initialize);
  return differencesBetween(
    mask(toComparable(expected, initialize)),
    mask(toComparable(actual, behind.initialize)),
  ).slice(0, maxDifferences);
}

/** Gives listed items the names that the server gave them, and leaves Signalbox's own out. */
function withOwnNames(server: string, own: readonly JsonObject[], listed: readonly JsonObject[]): JsonObject[] {
  const theirs = listed.filter(({ name }) => !isBuiltin(jsonText(name)));
  const renames = renamesIn(server, own.map(nameOf), theirs.map(nameOf));
  const owners = new Map([...renames].map(([name, rendered]) => [rendered, name]));
  return theirs.map((item) => ({ ...item, name: owners.get(nameOf(item)) ?? nameOf(item) }));
}

/** Lists become objects by name, so that one missing tool is one difference. */
function toComparable(seen: Observation, initialize: JsonObject): JsonObject {
  return {
    initialize,
    tools: byKey(seen.tools, 'name'),
    prompts: byKey(seen.prompts, 'name'),
    resources: byKey(seen.resources, 'uri'),
    resourceTemplates: byKey(seen.resourceTemplates, 'uriTemplate'),
    order: { tools: seen.tools.map(nameOf), prompts: seen.prompts.map(nameOf) },
    calls: seen.calls,
    reads: seen.reads,
    gets: seen.gets,
  };
}

function nameOf({ name }: JsonObject): string {
  return jsonText(name);
}

function byKey(items: readonly JsonObject[], key: string): JsonObject {
  return Object.fromEntries(items.map((item) => [jsonText(item[key]), item]));
}

/** Returns a function that replaces what the masks name. */
function masking(masks: readonly Mask[]): (value: JsonValue, path?: string) => JsonValue {
  const patterns = masks.flatMap(({ pattern }) => (pattern === undefined ? [] : new RegExp(pattern, 'g')));
  const paths = masks.flatMap(({ path }) => (path === undefined ? [] : new RegExp(path)));
  const mask = (value: JsonValue, path = ''): JsonValue => {
    if (paths.some((each) => each.test(path))) return '(masked)';
    if (typeof value === 'string') return patterns.reduce((text, each) => text.replace(each, '(masked)'), value);
    if (Array.isArray(value)) return (value as JsonValue[]).map((each, index) => mask(each, `${path}[${index}]`));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mask(each, joined(path, key))]));
  };
  return mask;
}

/** Lists every place where two values differ. The order of keys does not count, everything else does. */
export function differencesBetween(
  bare: JsonValue | undefined,
  behind: JsonValue | undefined,
  path = '',
): Difference[] {
  if (Array.isArray(bare) && Array.isArray(behind) && bare.length === behind.length)
    return bare.flatMap((each: JsonValue, index) =>
      differencesBetween(each, behind[index] as JsonValue, `${path}[${index}]`),
    );
  if (isJsonObject(bare) && isJsonObject(behind)) {
    const keys = new Set([...Object.keys(bare), ...Object.keys(behind)]);
    return [...keys].flatMap((key) => differencesBetween(bare[key], behind[key], joined(path, key)));
  }
  if (
    bare === behind ||
    (bare !== undefined && behind !== undefined && JSON.stringify(bare) === JSON.stringify(behind))
  )
    return [];
  return [{ path, ...shownPair(bare, behind) }];
}

/** Shows two values from shortly before the place where they part. */
function shownPair(bare: JsonValue | undefined, behind: JsonValue | undefined): { bare: string; behind: string } {
  const [one, other] = [textOf(bare), textOf(behind)];
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  start = Math.max(0, start - 30);
  const shown = (text: string): string => {
    const piece = text.slice(start, start + maxShownChars);
    return `${start > 0 ? '…' : ''}${piece}${start + maxShownChars < text.length ? `… (${text.length} characters)` : ''}`;
  };
  return { bare: shown(one), behind: shown(other) };
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
