import { type Tool, type ToolSet, jsonSchema, tool } from 'ai';
import { type JsonObject, isJsonObject } from '../../model/json.ts';
import type { OfferedTool } from './step.ts';

type SchemaObject = Parameters<typeof jsonSchema>[0];

/** A definition never changes, so that what is made of it can be kept as long as the definition is. */
const made = new WeakMap<OfferedTool, Map<string, Tool>>();

/**
 * The tools as the AI SDK takes them. They have no `execute`: calls are run by the turn, through the pipeline. Schemas are passed
 * on as they are and not checked here: the pipeline does, against the tool's own schema.
 */
export function toolSet(definitions: readonly OfferedTool[], provider: string): ToolSet {
  return Object.fromEntries(definitions.map((definition) => [definition.name, toolOf(definition, provider)]));
}

function toolOf(definition: OfferedTool, provider: string): Tool {
  const byProvider = made.get(definition) ?? new Map<string, Tool>();
  made.set(definition, byProvider);
  const known = byProvider.get(provider) ?? aiTool(definition, provider);
  byProvider.set(provider, known);
  return known;
}

function aiTool({ description, inputSchema, providerOptions }: OfferedTool, provider: string): Tool {
  const schema = (isJsonObject(inputSchema) ? inputSchema : { type: 'object' }) as SchemaObject;
  const options = optionsByProvider(providerOptions);
  // The AI SDK has a place of its own for this one.
  const strict = options?.[provider]?.['strict'];
  return tool({
    description,
    inputSchema: jsonSchema(schema),
    ...(options === undefined ? {} : { providerOptions: options }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  });
}

function optionsByProvider(given: JsonObject | undefined): Record<string, JsonObject> | undefined {
  if (given === undefined) return undefined;
  const entries = Object.entries(given).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  return Object.fromEntries(entries);
}
