import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { expectedCall, expectedDefinition, expectedInitialize, isBuiltin, renamesIn } from './documented-transforms.ts';
import { jsonText } from './json-text.ts';
import type { Observation } from './observe.ts';
import type { Mask } from './server-list.ts';

/** A difference between a server and the same server behind Signalbox that no documented transform and no mask explains. */
export interface Difference {
  /** The path of the value, such as `tools.browser_click.inputSchema.properties.ref`. */
  readonly path: string;
  /** The value as shortened JSON; `absent` if there is none. */
  readonly direct: string;
  readonly behind: string;
}

const maxShownChars = 160;
const maxDifferences = 200;

/** Compares the observations of a client of a server, connected directly and through Signalbox. */
export function compareObservations(
  server: string,
  direct: Observation,
  behind: Observation,
  masks: readonly Mask[] = [],
): readonly Difference[] {
  const mask = masking(masks);
  const expected = {
    ...direct,
    tools: direct.tools.map(expectedDefinition),
    prompts: direct.prompts.map(expectedDefinition),
    resources: direct.resources.map(expectedDefinition),
    resourceTemplates: direct.resourceTemplates.map(expectedDefinition),
    calls: direct.calls.map(expectedCall),
  };
  const actual = {
    ...behind,
    tools: withOwnNames(server, direct.tools, behind.tools),
    prompts: withOwnNames(server, direct.prompts, behind.prompts),
  };
  const initialize = expectedInitialize(server, direct.initialize, behind.initialize);
  return differencesBetween(
    mask(toComparable(expected, initialize)),
    mask(toComparable(actual, behind.initialize)),
  ).slice(0, maxDifferences);
}

/** Restores the server's own names of listed items, and removes the built-in items of Signalbox. */
function withOwnNames(server: string, own: readonly JsonObject[], listed: readonly JsonObject[]): JsonObject[] {
  const theirs = listed.filter(({ name }) => !isBuiltin(jsonText(name)));
  const renames = renamesIn(server, own.map(nameOf), theirs.map(nameOf));
  const owners = new Map([...renames].map(([name, rendered]) => [rendered, name]));
  return theirs.map((item) => ({ ...item, name: owners.get(nameOf(item)) ?? nameOf(item) }));
}

/** Converts lists to objects by name, so that one missing tool is one difference. */
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

/** Returns a function that replaces the values that the masks name. */
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

/** Lists all differences between two values. Ignores the order of keys. */
export function differencesBetween(
  direct: JsonValue | undefined,
  behind: JsonValue | undefined,
  path = '',
): Difference[] {
  if (Array.isArray(direct) && Array.isArray(behind) && direct.length === behind.length)
    return direct.flatMap((each: JsonValue, index) =>
      differencesBetween(each, behind[index] as JsonValue, `${path}[${index}]`),
    );
  if (isJsonObject(direct) && isJsonObject(behind)) {
    const keys = new Set([...Object.keys(direct), ...Object.keys(behind)]);
    return [...keys].flatMap((key) => differencesBetween(direct[key], behind[key], joined(path, key)));
  }
  if (
    direct === behind ||
    (direct !== undefined && behind !== undefined && JSON.stringify(direct) === JSON.stringify(behind))
  )
    return [];
  return [{ path, ...shownPair(direct, behind) }];
}

/** Shows two values from shortly before their first difference. */
function shownPair(direct: JsonValue | undefined, behind: JsonValue | undefined): { direct: string; behind: string } {
  const [one, other] = [textOf(direct), textOf(behind)];
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  start = Math.max(0, start - 30);
  const shown = (text: string): string => {
    const excerpt = text.slice(start, start + maxShownChars);
    return `${start > 0 ? '…' : ''}${excerpt}${start + maxShownChars < text.length ? `… (${text.length} characters)` : ''}`;
  };
  return { direct: shown(one), behind: shown(other) };
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
