import { keyDescriptions } from './key-descriptions.ts';
import { configurationSchema } from './schema.ts';

/** A part of the JSON Schema of a configuration, as far as Zod writes it. */
export interface SettingsSchema {
  title?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, SettingsSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | SettingsSchema;
  items?: SettingsSchema;
  anyOf?: readonly SettingsSchema[];
  oneOf?: readonly SettingsSchema[];
}

/** The JSON Schema of a configuration file, with what each key means. */
export function describedConfigurationSchema(): SettingsSchema {
  const schema: SettingsSchema = configurationSchema();
  eachKey(schema, (path, part) => {
    const description = keyDescriptions[path];
    if (description !== undefined) part.description = description;
  });
  return schema;
}

/** Tells of every key that a configuration can have, by its path; of a key that two kinds of entry have, twice. */
export function eachKey(
  schema: SettingsSchema,
  tell: (path: string, part: SettingsSchema, isRequired: boolean) => void,
  path: readonly string[] = [],
): void {
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    const place = [...path, key];
    tell(place.join('.'), part, schema.required?.includes(key) === true);
    eachKey(part, tell, place);
  }
  if (typeof schema.additionalProperties === 'object') eachKey(schema.additionalProperties, tell, [...path, '*']);
  if (schema.items !== undefined) eachKey(schema.items, tell, [...path, '[]']);
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) eachKey(choice, tell, path);
}
