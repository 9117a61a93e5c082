import type { Forward } from '../../../catalog/source.ts';
import { isJsonObject } from '../../../core/json/json.ts';

/** Which tool is meant by a call of `call_tool`, and with what arguments; or what is wrong with it. */
export function calledTool(given: unknown): Forward | string {
  if (!isJsonObject(given)) return 'an object with "name" and "arguments" is needed';
  const { name, arguments: args = {}, ...rest } = given;
  if (typeof name !== 'string' || name === '') return '"name" must be the name of a tool, as search_tools tells it';
  if (!isJsonObject(args)) return `"arguments" must be the object that ${name.slice(0, 128)} takes`;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return `${JSON.stringify(extra.slice(0, 64))} must stand inside "arguments"`;
  return { name, arguments: args };
}
