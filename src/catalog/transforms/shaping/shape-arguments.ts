import { SignalboxError } from '../../../core/errors.ts';
import { type JsonObject, type JsonSchema, type JsonValue, isJsonObject, jsonPath } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { firstProblems } from '../../schema/first-problems.ts';
import { type SchemaObject, requiredOf } from '../../schema/schema-keywords.ts';
import type { SchemaCompiler, Validate } from '../../schema/schema-compiler.ts';
import type { ArgumentProblem, SourceTool } from '../../source/source.ts';
import type { ArgumentShaping } from './tool-shaping.ts';

/** Applies defaults, hidden and fixed arguments to the schema that callers see and to every call. */
export function shapeArguments(tool: SourceTool, shaping: ArgumentShaping, place: ShapingPlace): SourceTool {
  const { schema, notices, validate } = shapeSchema(tool.inputSchema, shaping, place);
  const hidden = new Set(shaping.hide);
  const fixed = new Set(Object.keys(shaping.set ?? {}));
  const filling = [...Object.entries(shaping.default ?? {}), ...Object.entries(shaping.set ?? {})];

  const refuse = (name: string): ArgumentProblem => {
    const why = fixed.has(name) ? 'cannot be given: its value is fixed' : 'is not known';
    return { path: jsonPath([name]), message: `${JSON.stringify(name)} ${why}` };
  };
  return {
    ...tool,
    inputSchema: schema,
    notices: [...tool.notices, ...notices],
    parse(args) {
      // Read once, so that the checked value is the one that is passed on, even if the caller's object returns another value each time.
      const given = Object.entries(args).filter(([, value]) => value !== undefined);
      const names = new Set(given.map(([name]) => name));
      const refused = [...names].filter((name) => hidden.has(name) || fixed.has(name));
      if (refused.length > 0) return { ok: false, problems: firstProblems(refused, refuse) };
      const problems = validate(objectOf(given));
      if (problems !== undefined) return { ok: false, problems };
      const absent = filling.filter(([name]) => !names.has(name));
      const filled = objectOf([...given, ...absent.map(([name, value]) => [name, ownCopy(value)] as const)]);
      return tool.parse(filled);
    },
  };
}

/** Creates an object in which, unlike with assignment, even `__proto__` is an ordinary key. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** Returns a copy, because a handler may modify its arguments and the next call must not see that. */
function ownCopy(value: JsonValue): JsonValue {
  return typeof value === 'object' ? structuredClone(value) : value;
}

/** The origin and the subject of a shaping. */
interface ShapingPlace {
  /** The source's own name of the tool. */
  readonly own: string;
  readonly origin: string;
  readonly compiler: SchemaCompiler;
}

/** A schema as callers see it, the check of their arguments, and the notices for the operator. */
interface ShapedSchema {
  readonly schema: JsonSchema;
  readonly validate: Validate;
  readonly notices: readonly string[];
}

const unchecked: Validate = () => undefined;
/** Keywords that constrain several arguments at once. Applied to the caller's arguments alone, they would mean something different. */
const combiningKeywords = (
  '$ref $dynamicRef allOf anyOf oneOf not if then else dependentRequired dependentSchemas dependencies ' +
  'minProperties maxProperties unevaluatedProperties'
).split(' ');

/** Removes hidden and fixed arguments from a schema and adds the defaults to it. Leaves the rest unchanged. */
function shapeSchema(schema: JsonSchema, shaping: ArgumentShaping, place: ShapingPlace): ShapedSchema {
  const { default: defaults = {}, hide = [], set = {} } = shaping;
  const removed = new Set([...hide, ...Object.keys(set)]);
  const filled = { ...defaults, ...set };
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  if (typeof schema !== 'object' || !isJsonObject(properties)) {
    const names = quoted(new Set([...removed, ...Object.keys(defaults)]));
    const notice = `its schema has no plain "properties", so the settings of ${place.origin} for ${names} are not shown in it; they apply to every call`;
    return { schema, validate: unchecked, notices: [notice] };
  }
  assertHideable(schema, removed, filled, place);
  assertValuesMatch(schema, filled, place);
  const shaped = withProperties(schema, properties, removed, defaults);
  const combining = combiningKeywords.filter((keyword) => Object.hasOwn(schema, keyword));
  const compiled = combining.length === 0 ? place.compiler.compile(shaped) : undefined;
  return {
    schema: shaped,
    // The source already reports a schema that does not compile.
    validate: compiled?.ok === true ? compiled.validate : unchecked,
    notices: [
      ...unknownArguments([...removed, ...Object.keys(defaults)], properties, place.origin),
      ...stillShown(schema, combining, removed),
    ],
  };
}

function withProperties(
  schema: SchemaObject,
  properties: SchemaObject,
  removed: ReadonlySet<string>,
  defaults: JsonObject,
): SchemaObject {
  const shown = Object.entries(properties)
    .filter(([name]) => !removed.has(name))
    .map(([name, property]) =>
      Object.hasOwn(defaults, name)
        ? [name, { ...(isJsonObject(property) ? property : {}), default: defaults[name] }]
        : [name, property],
    );
  const { required, ...rest } = schema;
  const needed = requiredOf(schema).filter((name) => !removed.has(name) && !Object.hasOwn(defaults, name));
  const changed = { properties: Object.fromEntries(shown) as SchemaObject };
  if (required !== undefined && needed.length === 0) return { ...rest, ...changed };
  return required === undefined ? { ...schema, ...changed } : { ...schema, ...changed, required: needed };
}

function assertHideable(
  schema: SchemaObject,
  removed: ReadonlySet<string>,
  filled: JsonObject,
  place: ShapingPlace,
): void {
  const needed = requiredOf(schema).find((name) => removed.has(name) && !Object.hasOwn(filled, name));
  if (needed === undefined) return;
  throw shapingError(
    place,
    `hides ${JSON.stringify(needed)}, which is required; give it a value with "default" or "set"`,
  );
}

/** Throws for a configured value that the tool would reject in every call. */
function assertValuesMatch(schema: SchemaObject, filled: JsonObject, place: ShapingPlace): void {
  const { $schema, $id, $defs, definitions, properties } = schema;
  const parts = { $schema, $id, $defs, definitions, properties };
  const alone = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const compiled = place.compiler.compile(alone);
  const [problem] = compiled.ok ? (compiled.validate(filled) ?? []) : [];
  if (problem === undefined) return;
  throw shapingError(place, `gives a value that does not match the schema: ${problem.path}: ${problem.message}`);
}

function shapingError({ own, origin }: ShapingPlace, problem: string): SignalboxError {
  return new SignalboxError('tool-invalid', `${origin}: tools.arguments of tool ${JSON.stringify(own)} ${problem}`);
}

function unknownArguments(names: readonly string[], properties: SchemaObject, origin: string): string[] {
  const known = Object.keys(properties);
  return [...new Set(names)]
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => {
      const meant = closestMatch(name, known);
      const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
      return `tools.arguments in ${origin} names ${JSON.stringify(name)}, which is not an argument of this tool${hint}`;
    });
}

function stillShown(schema: SchemaObject, keywords: readonly string[], removed: ReadonlySet<string>): string[] {
  const mentioning = keywords.filter((keyword) => {
    const text = JSON.stringify(schema[keyword]) ?? '';
    return [...removed].some((name) => text.includes(JSON.stringify(name)));
  });
  if (mentioning.length === 0) return [];
  return [`${quoted(mentioning)} of its schema may still mention arguments that are hidden or fixed`];
}

function quoted(names: Iterable<string>): string {
  return [...names].map((name) => JSON.stringify(name)).join(', ');
}
