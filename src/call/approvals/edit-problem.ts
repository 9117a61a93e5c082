import type { CatalogTool } from '../../catalog/definition.ts';
import { messageOf } from '../../model/errors.ts';
import { type JsonObject, isJsonObject } from '../../model/json.ts';
import { looksRedacted, withoutFilled } from './edited-arguments.ts';

/**
 * Why a tool would not take edited arguments, as far as that can be told without the call. Values that nobody here can see are
 * checked when it runs.
 */
export async function editProblem(
  { definition, offered, fillDefaults }: CatalogTool,
  edited: JsonObject,
  shown: JsonObject,
): Promise<string | undefined> {
  if (looksRedacted(JSON.stringify(edited))) return undefined;
  const schema = definition.inputSchema;
  const properties = typeof schema === 'boolean' ? undefined : schema['properties'];
  // What the configuration fills in is not in the schema, and is no problem where it was left as it is.
  const own = withoutFilled(edited, isJsonObject(properties) ? properties : {}, shown);
  const parse = (given: JsonObject): ReturnType<typeof offered.parse> => {
    const filled = structuredClone(given);
    fillDefaults?.(filled);
    return offered.parse(filled);
  };
  try {
    const parsed = await parse(own);
    if (parsed.ok || (await parse(edited)).ok) return undefined;
    return parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  } catch (error) {
    return messageOf(error);
  }
}
