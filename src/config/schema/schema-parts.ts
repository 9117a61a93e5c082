import { z } from 'zod';
import { durationSyntax, parseDurationMs } from '../../core/text/duration.ts';

/*
 * The message of every schema continues "expected …". The message for unknown keys lists the known keys, from which the closest is
 * suggested.
 */

/** An object with these keys and no others. */
export function strict<Shape extends z.ZodRawShape>(
  shape: Shape,
  keys: readonly string[] = Object.keys(shape),
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? keys.join(' ') : 'an object'),
  });
}

/** Returns whether a value is an object with this key. */
export function hasKey(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

type Makers = Readonly<Record<string, () => z.ZodType>>;
type Made<Parts extends Makers> = z.ZodObject<
  { -readonly [Key in keyof Parts]: ReturnType<Parts[Key]> },
  z.core.$strict
>;

/** An object schema whose properties are created on demand: creating one takes 0.1 ms of the start, and most files use few. */
export class LazyObjectSchema<Parts extends Makers> {
  readonly makers: Parts;

  constructor(makers: Parts) {
    this.makers = makers;
  }

  /** Returns the schema with all properties. */
  full(): Made<Parts> {
    return this.#with(() => true);
  }

  /** Returns the schema with the properties that a value has, to parse it. Missing required properties are not detected. */
  for(value: unknown): Made<Parts> {
    return this.#with((key) => hasKey(value, key));
  }

  #with(has: (key: string) => boolean): Made<Parts> {
    const parts = Object.entries(this.makers).filter(([key]) => has(key));
    const shape = Object.fromEntries(parts.map(([key, make]) => [key, make()]));
    return strict(shape, Object.keys(this.makers)) as Made<Parts>;
  }
}

/** The type that such a schema parses. */
export type InferLazy<Parts> = Parts extends LazyObjectSchema<infer Each> ? z.infer<Made<Each>> : never;

/** Keeps Zod from compiling a function for every object, which takes longer than parsing a value once. */
export const parseOptions = { jitless: true } as const;

/** Returns a schema for one of these words. */
export function choice<const Words extends readonly string[]>(
  words: Words,
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  return z.enum(words, oneOf(words));
}

/** Returns the message for a choice of words. */
export function oneOf(words: readonly string[]): string {
  return `one of ${words.map((word) => `"${word}"`).join(', ')}`;
}

export const text = z.string('a string').min(1, 'a string that is not empty');
export const flag = z.boolean('true or false');
export const positive = z.int('a whole number above 0').positive('a whole number above 0');
export const texts = z.array(text, 'an array of strings');
export const textByName = z.record(z.string(), z.string('a string'), 'an object of strings');
export const anything = (): z.ZodRecord<z.ZodString, z.ZodJSONSchema> => z.record(z.string(), z.json(), 'an object');

const nameRule = 'letters, digits, "-" and single "_", not ending with "_", at most 44 characters';
export const serverName = z
  .string(nameRule)
  .regex(/^_?[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, nameRule)
  .max(44, nameRule);

export const duration = z
  .string(durationSyntax)
  .refine((given) => parseDurationMs(given) !== undefined, durationSyntax);

export const positiveDuration = duration.refine((given) => parseDurationMs(given) !== 0, 'a duration above 0');

export const secretReference = z
  .string('a reference to a secret, as ${secret:NAME} or ${env:NAME}')
  .regex(/^[^$]*\$\{[^}]+\}[^$]*$/, 'a reference to a secret, as ${secret:NAME} or ${env:NAME}');
