import { SignalboxError } from '../../../core/errors.ts';
import { type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { ConfigurationBook } from './configuration-book.ts';

/** What `get_config` answers. */
export interface ConfigurationValue {
  readonly file: string;
  readonly path: string;
  readonly value: JsonValue;
}

/** Tells what stands at a place of the configuration, or all of it. */
export function getConfig(
  configuration: Pick<ConfigurationBook, 'file' | 'read'>,
  { path = '' }: { readonly path?: string | undefined },
): ConfigurationValue {
  let value: JsonValue = configuration.read();
  const steps = path === '' ? [] : path.split('.');
  for (const [depth, step] of steps.entries()) {
    const keys: string[] = isJsonObject(value) || Array.isArray(value) ? Object.keys(value) : [];
    if (!keys.includes(step)) throw absent(steps.slice(0, depth + 1).join('.'), step, keys);
    value = (value as Readonly<Record<string, JsonValue>>)[step] ?? null;
  }
  return { file: configuration.file, path, value };
}

function absent(path: string, step: string, keys: readonly string[]): SignalboxError {
  const meant = closestMatch(step, keys);
  const hint = meant === undefined ? `there is ${keys.join(', ') || 'nothing'}` : `did you mean "${meant}"?`;
  return new SignalboxError(
    'setting-unknown',
    `nothing is set at ${path.slice(0, 200)}, so its default holds; ${hint}`,
  );
}
