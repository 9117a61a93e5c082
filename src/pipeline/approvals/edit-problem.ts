import { isDeepStrictEqual } from 'node:util';
import type { CatalogTool } from '../../catalog/definition.ts';
import { messageOf } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { jsonImage } from '../../core/json/json-image.ts';
import { asGiven, looksRedacted } from './edited-arguments.ts';

/** The arguments of a call that waits: as its tool would receive them, and as its caller gave them. */
interface WaitingArguments {
  readonly received: JsonObject;
  readonly given: JsonObject;
}

/**
 * Returns why a tool would not run with exactly these edited arguments, as far as that can be told without the call. Values that
 * nobody here can see are checked when it runs.
 */
export async function editProblem(
  { definition, offered, fillDefaults }: CatalogTool,
  edited: JsonObject,
  { received, given }: WaitingArguments,
): Promise<string | undefined> {
  if (looksRedacted(JSON.stringify(edited))) return undefined;
  try {
    const own = structuredClone(asGiven(edited, received, given));
    fillDefaults?.(own);
    const parsed = await offered.parse(own);
    if (parsed.ok) return unlikeWanted(edited, parsed.value);
    const problems = parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return `they do not fit the schema of ${definition.name}: ${problems}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns how arguments that a tool would receive differ from those that a human wants; `undefined` when they do not. */
export function unlikeWanted(wanted: JsonObject, received: unknown): string | undefined {
  const image = jsonImage(received);
  if (image.ok && isDeepStrictEqual(image.json, JSON.parse(JSON.stringify(wanted)))) return undefined;
  const shown = image.ok ? JSON.stringify(image.json).slice(0, 1000) : image.problem;
  return `defaults, configured values or the tool's schema would turn them into ${shown}; give that version, or another one`;
}
