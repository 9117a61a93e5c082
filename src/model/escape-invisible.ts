// C0 and C1 controls, and what hides or reorders text: zero-width, bidirectional and tag characters.
const invisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Replaces characters that people cannot see, or that reorder text, with their escapes; those in `kept` stay. */
export function escapeInvisible(text: string, kept = ''): string {
  return text.replace(invisible, (character) => (kept.includes(character) ? character : escapeCharacter(character)));
}

/** Returns the escape of a character: `\u00a0`, `\u{e0041}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
