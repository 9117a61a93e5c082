import { type JsonObject, type JsonValue, jsonPath } from '../../../core/json/json.ts';
import { firstProblems } from '../../schema/first-problems.ts';
import type { Problem, SourceTool } from '../../source/source.ts';
import { type ShapingPlace, shapeSchema } from './shape-schema.ts';
import type { ArgumentShaping } from './tool-shaping.ts';

/** Fills in, hides and fixes arguments: in the schema that callers see, and in every call. */
export function shapeArguments(tool: SourceTool, shaping: ArgumentShaping, place: ShapingPlace): SourceTool {
  const { schema, notices, validate } = shapeSchema(tool.inputSchema, shaping, place);
  const hidden = new Set(shaping.hide);
  const fixed = new Set(Object.keys(shaping.set ?? {}));
  const filling = [...Object.entries(shaping.default ?? {}), ...Object.entries(shaping.set ?? {})];

  const refuse = (name: string): Problem => {
    const why = fixed.has(name) ? 'cannot be given: its value is fixed' : 'is not known';
    return { path: jsonPath([name]), message: `${JSON.stringify(name)} ${why}` };
  };
  return {
    ...tool,
    inputSchema: schema,
    notices: [...tool.notices, ...notices],
    parse(args) {
      // Read once: what is checked is what is passed on, even if the caller's object answers differently each time.
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

/** Unlike assignment, this makes even `__proto__` a plain key. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** A handler may change its arguments; the next call must not see it. */
function ownCopy(value: JsonValue): JsonValue {
  return typeof value === 'object' ? structuredClone(value) : value;
}
