import type { ToolDefinition } from '../../model/tool.ts';
import { type JsonObject, isJsonObject } from '../../model/json.ts';
import type { Restore } from './schema/restore.ts';
import type { SchemaObject } from './schema/subschemas.ts';

/** What a provider takes as a tool. */
export interface Dialect {
  /** The longest name it takes. */
  readonly longestName: number;
  /** A tool's schema in the form it takes. */
  shape(definition: ToolDefinition): Shape;
}

/** A schema as a provider takes it, and the way back for arguments that follow it. */
export interface Shape {
  readonly schema: SchemaObject;
  readonly warnings: readonly string[];
  /** The provider is to hold the model to the schema. */
  readonly strict?: boolean;
  readonly restore?: Pick<Restore, 'apply'>;
}

/** What a tool's author said for one provider alone. */
export function optionsFor(definition: ToolDefinition, provider: string): JsonObject {
  const options = definition.providerOptions?.[provider];
  return isJsonObject(options) ? options : {};
}

/** Options are written as in the AI SDK (`cacheControl`); the providers' own APIs write `cache_control`. */
export function snakeCased(options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
