// Control, format, and invisible or blank characters, except the variation selector of an emoji or a keycap. The console has the same list.
const invisible =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800](?<!\p{Extended_Pictographic}\ufe0f|[#*0-9]\ufe0f(?=\u20e3))/gu;

/** Escapes characters that are invisible or that reorder text, except those in `except`. */
export function escapeInvisible(text: string, except = ''): string {
  return text.replace(invisible, (character) => (except.includes(character) ? character : escapeCharacter(character)));
}

/** Returns the escape of a character: `\u00a0`, `\u{e0041}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
