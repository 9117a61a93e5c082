import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonValue } from '../../core/json/json.ts';

/** The version of what was written: the same however it is laid out. */
export function versionOf(source: JsonValue): string {
  return hash('sha256', canonicalize(source) ?? '', 'hex').slice(0, 16);
}
