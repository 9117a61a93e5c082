const prefix = 'signalbox://results/';

/** The address under which the whole of an oversized result is read. */
export function resultUri(call: string): string {
  return prefix + call;
}

/** Returns whether an address is of a result. */
export function isResultUri(uri: string): boolean {
  return uri.startsWith(prefix);
}

/** The call whose result is kept there; a bare call id is understood too. */
export function callOfResult(uri: string): string {
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : uri;
}
