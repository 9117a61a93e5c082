import { createRedactor } from '../../redaction/redactor.ts';
import { isSecretKey } from '../../redaction/secret-keys.ts';
import type { DocumentPath } from './json-document.ts';

const LONGEST = 60;
// Their values are secrets more often than not, whatever their names.
const CARRIERS = new Set<string | number>(['env', 'headers', 'auth']);
const redactor = createRedactor();

/** A value of the configuration as an error may show it: shortened, and hidden where it may be a secret. */
export function displayValue(value: unknown, path: DocumentPath): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === null || typeof value === 'boolean') return String(value);
  if (path.some((segment) => CARRIERS.has(segment) || (typeof segment === 'string' && isSecretKey(segment))))
    return `hidden ${typeof value}`;
  const shown = redactor.text(JSON.stringify(value));
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST - 1)}…` : shown;
}

/** A path as a person writes it: `mcpServers.files.args[0]`. */
export function displayPath(path: DocumentPath): string {
  const parts = path.map((segment, index) => {
    if (typeof segment === 'number') return `[${segment}]`;
    if (!/^[\w$-]{1,100}$/.test(segment)) return `[${JSON.stringify(segment.slice(0, LONGEST))}]`;
    return index === 0 ? segment : `.${segment}`;
  });
  return redactor.text(parts.join(''));
}
