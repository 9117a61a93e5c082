import { createRedactor } from '../../redaction/redactor.ts';
import { isSecretKey } from '../../redaction/secret-keys.ts';
import type { DocumentPath } from './json-document.ts';

const maxLength = 60;
/** The keys whose values are usually secrets, regardless of the names in them. */
const secretSections = new Set<string | number>(['env', 'headers', 'auth']);
const redactor = createRedactor();

/** Formats a value for an error message. Truncates long values, and hides values that may be secrets. */
export function displayValue(value: unknown, path: DocumentPath): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === null || typeof value === 'boolean') return String(value);
  if (path.some((segment) => secretSections.has(segment) || (typeof segment === 'string' && isSecretKey(segment))))
    return `hidden ${typeof value}`;
  const shown = redactor.text(JSON.stringify(value));
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown;
}

/** Formats a path for display: `mcpServers.files.args[0]`. */
export function displayPath(path: DocumentPath): string {
  const parts = path.map((segment, index) => {
    if (typeof segment === 'number') return `[${segment}]`;
    if (!/^[\w$-]{1,100}$/.test(segment)) return `[${JSON.stringify(segment.slice(0, maxLength))}]`;
    return index === 0 ? segment : `.${segment}`;
  });
  return redactor.text(parts.join(''));
}
