import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Arguments, given as JSON text, in canonical form (RFC 8785): the order of keys means nothing. */
export function canonicalArguments(text: string): string {
  return canonicalize(JSON.parse(text)) ?? '';
}

let last: { readonly text: string; readonly digest: string } | undefined;

/** Returns the SHA-256 of arguments, given as JSON text, over their canonical form. One call asks for it several times. */
export function argumentsDigest(text: string): string {
  if (last?.text !== text) last = { text, digest: hash('sha256', canonicalArguments(text), 'hex') };
  return last.digest;
}
