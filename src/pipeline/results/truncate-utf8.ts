const encoder = new TextEncoder();

/** A text is cut at a line end when one is within this fraction of the limit. */
const maxLineSearchFraction = 0.2;

/** Returns the beginning of a text in at most `maxBytes` bytes of UTF-8. Cuts at a line end where one is near, else between characters. */
export function truncateUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  // The encoder stops before a character that does not fit, and never inside a surrogate pair.
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  if (read === 0) return '';
  const lineEnd = text.lastIndexOf('\n', read - 1) + 1;
  return text.slice(0, lineEnd >= read * (1 - maxLineSearchFraction) ? lineEnd : read);
}
