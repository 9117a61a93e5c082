import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import type { SourceTool } from '../source/source.ts';
import { flagSuspicious } from '../scan/flag-suspicious.ts';
import { sanitizeText } from './sanitize-text.ts';
import { sanitizeSchema } from '../schema/sanitize-schema.ts';
import type { ToolTransform } from './transform-source.ts';

/** Creates a transform that removes hidden characters from a tool's definition and adds notices about suspicious text. */
export function sanitized(): ToolTransform {
  return (tool) => {
    const flags = flagSuspicious(tool);
    const { annotations, title, outputSchema, fields } = tool;
    const clean: SourceTool = {
      ...tool,
      // A name that consists only of hidden characters stays, and the catalog makes it visible.
      tool: sanitizeText(tool.tool) || tool.tool,
      ...(title === undefined ? {} : { title: sanitizeText(title) }),
      description: sanitizeText(tool.description),
      inputSchema: sanitizeSchema(tool.inputSchema),
      ...(outputSchema === undefined ? {} : { outputSchema: sanitizeSchema(outputSchema) }),
      annotations:
        annotations.title === undefined ? annotations : { ...annotations, title: sanitizeText(annotations.title) },
      ...(fields === undefined ? {} : { fields: sanitizeStrings(fields) as JsonObject }),
      notices: [...tool.notices, ...flags],
      ...(flags.length === 0 ? {} : { flags }),
    };
    return clean;
  };
}

/** Sanitizes unknown fields too: a client that knows them may show them to a model. */
function sanitizeStrings(value: JsonValue): JsonValue {
  if (typeof value === 'string') return sanitizeText(value);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sanitizeStrings(each)]));
  return Array.isArray(value) ? value.map(sanitizeStrings) : value;
}
