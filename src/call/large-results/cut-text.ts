const encoder = new TextEncoder();

/** A line end this close to the limit, as a part of it, is a better place to cut than the limit itself. */
const lineSearch = 0.2;

/** Returns the beginning of a text in at most so many bytes of UTF-8: up to the end of a line where one is near, else of a character. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  // The encoder stops before a character that does not fit, and never inside a surrogate pair.
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  if (read === 0) return '';
  const lineEnd = text.lastIndexOf('\n', read - 1) + 1;
  return text.slice(0, lineEnd >= read * (1 - lineSearch) ? lineEnd : read);
}
