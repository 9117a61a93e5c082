/** Characters that are not seen, or that turn others around, are written out: what is approved must be what is read. */
export function seen(text: string): string {
  return text.replaceAll(unseen, (each) => {
    const code = (each.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

// Controls, formats, and all that fonts leave out or draw as blank; not tabs and line breaks, nor the selector of coloured emoji.
const unseen = /(?!\ufe0f)(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;
