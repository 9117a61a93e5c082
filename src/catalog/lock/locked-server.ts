import { type JsonObject, type JsonValue, inspectJson } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { Source, SourceState, SourceTool } from '../source/source.ts';
import { canonicalJson, canonicalSchema, hashOf, withoutDates } from './canonical-json.ts';
import type {
  Lock,
  LockedDefinition,
  LockedInstructions,
  LockedSchema,
  LockedServer,
  LockedTool,
} from './lock-types.ts';

/** Returns the current definitions of sources, before any transform. Sources that are down are left out. */
export function lockOf(sources: Iterable<Source>): Lock {
  const servers = new Map<string, LockedServer>();
  for (const source of sources) {
    const state = source.state();
    if (state.down === undefined) servers.set(source.server, lockedServer(state));
  }
  return { servers };
}

/** Returns the current definitions of a server in canonical form. Tools whose definition is not JSON are left out. */
export function lockedServer({ tools, instructions }: SourceState): LockedServer {
  const locked = new Map<string, LockedTool>();
  for (const tool of tools) {
    const pinned = locked.has(tool.tool) ? undefined : pinTool(tool);
    if (pinned !== undefined) locked.set(tool.tool, pinned);
  }
  const pinned = instructions === undefined ? undefined : pinInstructions(instructions);
  return omitUndefined({ instructions: pinned, tools: locked });
}

/** Returns a tool in the form of the lock; `undefined` when its definition is not JSON. */
export function pinTool(tool: SourceTool): LockedTool | undefined {
  const { description, inputSchema, outputSchema, annotations, _meta, fields } = tool;
  const title = tool.title ?? annotations.title;
  const definition = { title, description, inputSchema, outputSchema, annotations, _meta, fields };
  if (!inspectJson(definition).ok) return undefined;
  return pinDefinition(JSON.parse(JSON.stringify(definition)) as LockedDefinition);
}

/** Converts a definition to its canonical form with its hash. */
export function pinDefinition(given: LockedDefinition): LockedTool {
  const { title, description, inputSchema, outputSchema, annotations = {}, _meta = {}, fields = {} } = given;
  // An empty object equals an absent one.
  const filled = (object: JsonValue): JsonObject | undefined =>
    Object.keys(object as JsonObject).length === 0 ? undefined : (object as JsonObject);
  const definition = omitUndefined({
    title,
    description,
    inputSchema: canonicalSchema(inputSchema) as LockedSchema,
    outputSchema: outputSchema === undefined ? undefined : (canonicalSchema(outputSchema) as LockedSchema),
    annotations: filled(canonicalJson(annotations)),
    _meta: filled(withoutDates(_meta)),
    fields: filled(withoutDates(fields)),
  });
  return { ...definition, hash: hashOf(canonicalJson(definition)) };
}

/** Returns the instructions of a server in the form of the lock. */
export function pinInstructions(text: string): Required<LockedInstructions> {
  return { hash: hashOf(text), text };
}
