import { type JsonObject, inspectJson } from '../../core/json/json.ts';
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
  return { ...(instructions === undefined ? {} : { instructions: pinInstructions(instructions) }), tools: locked };
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
  const { title, description, inputSchema, outputSchema, annotations = {} } = given;
  const [_meta, fields] = [withoutDates(given._meta ?? {}), withoutDates(given.fields ?? {})];
  const definition = {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: canonicalSchema(inputSchema) as LockedSchema,
    ...(outputSchema === undefined ? {} : { outputSchema: canonicalSchema(outputSchema) as LockedSchema }),
    // Empty annotations equal absent annotations.
    ...(Object.keys(annotations).length === 0 ? {} : { annotations: canonicalJson(annotations) as JsonObject }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
  return { ...definition, hash: hashOf(canonicalJson(definition)) };
}

/** Returns the instructions of a server in the form of the lock. */
export function pinInstructions(text: string): Required<LockedInstructions> {
  return { hash: hashOf(text), text };
}
