// C0 and C1 controls, and what hides or reorders text: zero-width, bidirectional and tag characters.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text from a tool on one line, without anything that could move the cursor or hide what is there. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(unprintable, escape).trim();
}

/** Text from a tool for a terminal: its lines stay, everything that could act on the terminal becomes visible. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : escape(character),
  );
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
