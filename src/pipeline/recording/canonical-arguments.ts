import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '../../core/json/json.ts';

/** Returns the canonical form (RFC 8785) of arguments in JSON text, in which the order of keys is insignificant. */
export function canonicalArguments(text: string): string {
  const value = JSON.parse(text) as JsonObject;
  return (isCanonical(value) ? JSON.stringify(value) : canonicalize(value)) ?? '';
}

/** Returns whether `JSON.stringify` writes an object in canonical form: keys in order, and no nested values, as in most calls. */
function isCanonical(value: JsonObject): boolean {
  let before = '';
  for (const key of Object.keys(value)) {
    const member = value[key];
    const isPlain = typeof member === 'string' ? member.isWellFormed() : typeof member !== 'object' || member === null;
    if (!isPlain || member === Number.POSITIVE_INFINITY || member === Number.NEGATIVE_INFINITY) return false;
    if (key < before || !key.isWellFormed()) return false;
    before = key;
  }
  return true;
}

let last: { readonly text: string; readonly digest: string } | undefined;

/** Returns the SHA-256 of the canonical form of arguments in JSON text. The last digest is cached, because a call needs it several times. */
export function argumentsDigest(text: string): string {
  if (last?.text !== text) last = { text, digest: hash('sha256', canonicalArguments(text), 'hex') };
  return last.digest;
}
