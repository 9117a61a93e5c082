/** Escapes characters that are invisible or reorder text, so that an approver reads exactly what will run. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(invisible, (each) => {
    const code = (each.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

// Control and format characters and those that render as blank, except tab, newline and the variation selector of an emoji or a keycap.
const invisible =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800](?<!\p{Extended_Pictographic}\ufe0f|[#*0-9]\ufe0f(?=\u20e3))/gu;
