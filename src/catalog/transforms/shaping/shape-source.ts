import { type JsonObject, type JsonSchema, isJsonObject } from '../../../core/json/json.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { SchemaCompiler } from '../../schema/schema-compiler.ts';
import type { Source, SourceState, SourceTool } from '../../source/source.ts';
import { sanitizeSource } from '../sanitize-source.ts';
import { type ToolTransform, applyTransforms, mapSource } from '../transform-server.ts';
import { shapeArguments } from './shape-arguments.ts';
import { type ShapedTool, matchesToolPattern, keysFor, sectionFor, unmatched } from './shaping-keys.ts';
import type { ArgumentShaping, ToolShaping } from './tool-shaping.ts';

/** Returns a source with the configured changes to its tools. */
export function shapeSource(source: Source, shaping: ToolShaping): Source {
  const hideExcluded: ToolTransform = (tool) => {
    const hidden = hidingRule({ server: source.server, own: tool.tool }, shaping);
    return hidden === undefined ? tool : { hidden };
  };
  const transforms = [hideExcluded, shapeTool(source.server, shaping)];
  // Tools that are already hidden still exist.
  const noticesOf = ({ tools, hidden = [] }: SourceState): string[] => {
    const names = [...tools, ...hidden].map(({ tool }) => tool);
    return unmatched(shaping, source.server, names);
  };
  const mapped = mapSource(source, (tool) => applyTransforms(tool, transforms, source.server), noticesOf);
  const shaped = renameLocked(mapped, shaping);
  const { serverLabels } = shaping;
  return serverLabels === undefined ? shaped : { ...shaped, labels: serverLabels };
}

/** Applies the configured names to tools that the lock withholds, because callers use these names. */
function renameLocked(source: Source, { rename = {} }: ToolShaping): Source {
  const names = new Map(Object.entries(rename));
  const state = (): SourceState => {
    const given = source.state();
    if (given.hidden?.some(({ tool, by }) => by === 'lock' && names.has(tool)) !== true) return given;
    const hidden = given.hidden.map((each) =>
      each.by === 'lock' ? { ...each, tool: names.get(each.tool) ?? each.tool } : each,
    );
    return { ...given, hidden };
  };
  return { ...source, state };
}

function hidingRule(tool: ShapedTool, shaping: ToolShaping): string | undefined {
  const { allow, deny = [], origin } = shaping;
  const pattern = deny.find((each) => matchesToolPattern(shaping, each, tool));
  if (pattern !== undefined) return `hidden by deny pattern ${JSON.stringify(pattern)} in ${origin}`;
  if (allow === undefined || allow.some((each) => matchesToolPattern(shaping, each, tool))) return undefined;
  return `hidden by the allow patterns in ${origin}, none of which matches it`;
}

function shapeTool(server: string, shaping: ToolShaping): ToolTransform {
  const names = new Map(Object.entries(shaping.rename ?? {}));
  const { serverLabels = [] } = shaping;
  const compiler = new SchemaCompiler();
  const mark = shaping.prefix === true ? `[${server}] ` : '';

  return (given) => {
    const own = given.tool;
    const named = { server, own };
    const tool = sectionFor(shaping, 'schema', named) === undefined ? given : trustSchema(given);
    const description = sectionFor(shaping, 'describe', named)?.value ?? tool.description;
    const title = sectionFor(shaping, 'title', named)?.value;
    const options = sectionFor(shaping, 'providerOptions', named)?.value;
    // Labels of all matching keys are combined: a missing label could let a call pass a flow rule.
    const labels = keysFor(shaping, 'labels', named).flatMap((key) => shaping.labels?.[key] ?? []);
    const results = sectionFor(shaping, 'results', named)?.value;
    const renamed: SourceTool = {
      ...tool,
      tool: names.get(own) ?? own,
      description: description.startsWith(mark) ? description : mark + description,
      effect: sectionFor(shaping, 'effect', named)?.value ?? tool.effect,
      labels: [...new Set([...tool.labels, ...serverLabels, ...labels])],
      ...omitUndefined({ title, results, providerOptions: options && { ...tool.providerOptions, ...options } }),
    };
    const wanted = sectionFor(shaping, 'arguments', named);
    if (wanted === undefined) return renamed;
    const place = { own, origin: shaping.origin, compiler };
    if (!wanted.key.includes('*')) return shapeArguments(renamed, wanted.value, place);
    const fitting = fittingArguments(wanted.value, tool.inputSchema);
    return fitting === undefined ? renamed : shapeArguments(renamed, fitting, place);
  };
}

/** Returns the part of a shaping that applies to arguments of this tool; `undefined` when no part does. */
function fittingArguments(shaping: ArgumentShaping, schema: JsonSchema): ArgumentShaping | undefined {
  if (typeof schema !== 'object') return undefined;
  const { properties } = schema;
  // The arguments may be defined in a referenced schema.
  if (!isJsonObject(properties))
    return ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => Object.hasOwn(schema, keyword)) ? shaping : undefined;
  const has = (name: string): boolean => Object.hasOwn(properties, name);
  const only = (values: JsonObject = {}): JsonObject =>
    Object.fromEntries(Object.entries(values).filter(([name]) => has(name)));
  const { default: defaults, hide = [], set } = shaping;
  const fitting = { default: only(defaults), hide: hide.filter(has), set: only(set) };
  const isEmpty = [fitting.hide, Object.keys(fitting.default), Object.keys(fitting.set)].every(
    ({ length }) => length === 0,
  );
  return isEmpty ? undefined : fitting;
}

/** Returns a tool that can be called although its schema cannot check all arguments. A schema that can still does. */
export function trustSchema(tool: SourceTool): SourceTool {
  const { parseTrusting, schemaProblem, ...rest } = tool;
  if (parseTrusting === undefined) return tool;
  const notice = `its schema is trusted, although ${schemaProblem}`;
  return {
    ...rest,
    parse: parseTrusting,
    notices: schemaProblem === undefined ? rest.notices : [...rest.notices, notice],
  };
}

/** Prepares a configured server for the catalog. Sanitizes it first, so that hidden characters cannot bypass a deny pattern. */
export function configuredServer(server: Source, shaping: ToolShaping | undefined): Source {
  const clean = sanitizeSource(server);
  return shaping === undefined ? clean : { ...shapeSource(clean, shaping), isClean: true };
}
