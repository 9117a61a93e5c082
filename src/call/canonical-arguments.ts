import canonicalize from 'canonicalize';

/** Arguments, given as JSON text, in canonical form (RFC 8785): the order of keys means nothing. */
export function canonicalArguments(text: string): string {
  return canonicalize(JSON.parse(text)) ?? '';
}
