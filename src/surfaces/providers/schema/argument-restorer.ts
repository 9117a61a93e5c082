import { type JsonValue, isJsonObject } from '../../../core/json/json.ts';

/** Converts arguments from the form of a converted schema to that of the original schema. */
export interface ArgumentRestorer {
  /** Returns whether the value fits this part of the schema. */
  applies(value: JsonValue): boolean;
  apply(value: JsonValue): JsonValue;
}

/** Returns scalar values unchanged. */
export const scalarRestorer: ArgumentRestorer = {
  applies: (value) => typeof value !== 'object' || value === null,
  apply: (value) => value,
};

/** Removes the nulls of properties that are nullable only because strict mode requires all properties. */
export function objectRestorer(
  properties: ReadonlyMap<string, { readonly restore: ArgumentRestorer; readonly nullable: boolean }>,
  fixed: ReadonlyMap<string, readonly JsonValue[] | undefined>,
): ArgumentRestorer {
  return {
    applies: (value) =>
      isJsonObject(value) &&
      Object.entries(value).every(([name, entry]) => {
        const property = properties.get(name);
        if (property === undefined) return false;
        if (entry === null && property.nullable) return true;
        return fixed.get(name)?.includes(entry) ?? true;
      }),
    apply: (value) => {
      if (!isJsonObject(value)) return value;
      const entries = Object.entries(value).flatMap(([name, entry]): [string, JsonValue][] => {
        const property = properties.get(name);
        if (property === undefined) return [[name, entry]];
        return entry === null && property.nullable ? [] : [[name, property.restore.apply(entry)]];
      });
      return Object.fromEntries(entries);
    },
  };
}

export function arrayRestorer(items: ArgumentRestorer): ArgumentRestorer {
  return {
    applies: (value) => Array.isArray(value) && value.every((entry: JsonValue) => items.applies(entry)),
    apply: (value) => (Array.isArray(value) ? value.map((entry: JsonValue) => items.apply(entry)) : value),
  };
}

/** Restores a value with the first branch that it fits. */
export function unionRestorer(branches: readonly { readonly restore: ArgumentRestorer }[]): ArgumentRestorer {
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return only.restore;
  return {
    applies: (value) => branches.some(({ restore }) => restore.applies(value)),
    apply: (value) => branches.find(({ restore }) => restore.applies(value))?.restore.apply(value) ?? value,
  };
}
