import { type JsonObject, inspectJson } from '../../core/json/json.ts';
import type { SourceTool } from '../source.ts';
import { canonicalJson, canonicalSchema, hashOf, withoutDates } from './canonical.ts';
import type { LockedDefinition, LockedSchema, LockedTool } from './lock.ts';

/** A tool as it goes into the lock; `undefined` when its definition is not JSON. */
export function pinTool(tool: SourceTool): LockedTool | undefined {
  const { description, inputSchema, outputSchema, annotations, _meta, fields } = tool;
  const title = tool.title ?? annotations.title;
  const told = { title, description, inputSchema, outputSchema, annotations, _meta, fields };
  if (!inspectJson(told).ok) return undefined;
  return pinDefinition(JSON.parse(JSON.stringify(told)) as LockedDefinition);
}

/** Gives a definition its canonical form and its hash. */
export function pinDefinition(given: LockedDefinition): LockedTool {
  const { title, description, inputSchema, outputSchema, annotations = {} } = given;
  const [_meta, fields] = [withoutDates(given._meta ?? {}), withoutDates(given.fields ?? {})];
  const definition = {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: canonicalSchema(inputSchema) as LockedSchema,
    ...(outputSchema === undefined ? {} : { outputSchema: canonicalSchema(outputSchema) as LockedSchema }),
    // Saying that there is nothing to say is no change.
    ...(Object.keys(annotations).length === 0 ? {} : { annotations: canonicalJson(annotations) as JsonObject }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
  return { ...definition, hash: hashOf(canonicalJson(definition)) };
}
