import type { z } from 'zod';
import { closestMatch } from '../../core/text/closest-match.ts';
import { displayValue } from '../file/displayed-value.ts';
import type { DocumentPath } from '../file/json-document.ts';
import { serverName } from '../schema/schema-parts.ts';

/** A problem in a configuration, located by its path or, if present, its offset. */
export interface ValidationIssue {
  readonly path: DocumentPath;
  readonly message: string;
  readonly hint?: string;
  readonly offset?: number;
}

/** Returns the issues of a schema validation; `value` is the value at the path. */
export function toIssues(result: z.ZodSafeParseResult<unknown>, value: unknown, path: DocumentPath): ValidationIssue[] {
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    const inner = issue.path.filter((segment) => typeof segment !== 'symbol');
    const place = [...path, ...inner];
    const found = valueAt(value, inner);
    if (issue.code === 'unrecognized_keys') {
      const known = issue.message.split(' ');
      return issue.keys.map((key) => unknownKey(key, known, valueAt(found, [key]), place));
    }
    const message =
      found === undefined
        ? `missing, expected ${issue.message}`
        : `expected ${issue.message} (${displayValue(found, place)})`;
    const choices = typeof found === 'string' ? didYouMean(found, choicesIn(issue.message)) : {};
    return [{ path: place, message, ...choices }];
  });
}

/** Returns the choices in a message: `one of "a", "b"`. */
function choicesIn(message: string): string[] {
  return message.startsWith('one of ') ? [...message.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word) : [];
}

function unknownKey(key: string, known: readonly string[], value: unknown, path: DocumentPath): ValidationIssue {
  const place = [...path, key];
  return { path: place, message: `unknown key (${displayValue(value, place)})`, ...didYouMean(key, known) };
}

/** Returns the issues of a name that users choose. */
export function nameIssues(path: DocumentPath, name: string): ValidationIssue[] {
  const rule = serverName.safeParse(name).error?.issues[0]?.message;
  return rule === undefined ? [] : [{ path, message: `expected a name of ${rule}` }];
}

/** Returns a hint with the name that is closest to the given one, if there is one. */
export function didYouMean(given = '', names: readonly string[]): { readonly hint?: string } {
  const meant = closestMatch(given, names);
  return meant === undefined ? {} : { hint: `did you mean "${meant}"?` };
}

function valueAt(value: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((outer, segment) => {
    const isHolder = typeof outer === 'object' && outer !== null && Object.hasOwn(outer, segment);
    return isHolder ? (outer as Readonly<Record<string | number, unknown>>)[segment] : undefined;
  }, value);
}
