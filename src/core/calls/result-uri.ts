const prefix = 'signalbox://results/';

/** Returns the URI of the complete text of an oversized result. */
export function resultUri(call: string): string {
  return prefix + call;
}

/** Returns whether a URI refers to a stored result. */
export function isResultUri(uri: string): boolean {
  return uri.startsWith(prefix);
}

/** Returns the call id in a result URI. Also accepts a bare call id. */
export function callOfResult(uri: string): string {
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : uri;
}
