/** Characters that are not seen, or that turn others around, are written out: what is approved must be what is read. */
export function seen(text: string): string {
  return text.replaceAll(unseen, (each) => {
    const code = (each.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

const unseen =
  /[\ufe00-\ufe0e\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
