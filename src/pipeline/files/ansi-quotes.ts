/** `$'…'`, in which a shell decodes escapes. */
const ansiQuote = /\$'((?:[^'\\]|\\[^])*)'/g;
const ansiEscape =
  /\\(?:x\{([0-9a-fA-F]*)\}?|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([^])|([^]))/g;
/** Escapes that every shell with `$'…'` decodes to the same character. */
const plainEscapes =
  /\\(?:x(?!00)[0-9a-fA-F]{2}(?![0-9a-fA-F])|u(?!0{4})[0-9a-fA-F]{4}|U(?!0{8})[0-9a-fA-F]{8}|(?!000)[0-3][0-7]{2}|[abeEfnrtv\\'"?])/g;
/** A NUL as a word or value, as in `IFS=$'\0'`, which is an empty text. */
const nulWord = /(?<=^|[\s=])\$'\\(?:0+|x0+)'(?=$|[\s;|&)])/g;
const named: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
/** Stands for a quote whose text is not certain. */
const uncertain = '\uffff';

/** Returns the units of work, about 10 ns each, of one of these functions for a text. */
export function quoteWork(text: string): number {
  if (!text.includes("$'")) return 0;
  return text.length * 2 + (text.split("$'").length - 1) * 150;
}

/** Decodes the ANSI-C quotes in a text as Bash does. A NUL ends the text of its quote. */
export function decodeAnsiQuotes(text: string): string {
  return text.includes("$'") ? text.replaceAll(ansiQuote, (_, quoted: string) => decodeQuote(quoted)) : text;
}

/**
 * Returns the text with a mark, for `mayMatch`, in place of each ANSI-C quote that shells may decode differently. Returns `undefined` if there
 * is none.
 */
export function markUncertainQuotes(text: string): string | undefined {
  if (!text.includes("$'")) return undefined;
  const marked = text
    .replaceAll(nulWord, '')
    .replaceAll(ansiQuote, (quote, quoted: string) =>
      quoted.replaceAll(plainEscapes, '').includes('\\') ? uncertain : quote,
    );
  return marked.includes(uncertain) ? marked : undefined;
}

/** Returns whether a name with marks may be another name: `certain` when a part of it agrees, `possible` when the mark is all of it. */
export function mayMatch(marked: string, name: string): 'certain' | 'possible' | undefined {
  if (!marked.includes(uncertain)) return undefined;
  let rest = name.toLowerCase();
  const parts = marked.toLowerCase().split(uncertain);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  // A NUL in the quote may end the name.
  if (rest === first) return 'certain';
  if (!rest.startsWith(first) || !rest.slice(first.length).endsWith(last)) return undefined;
  rest = rest.slice(first.length, rest.length - last.length);
  for (const part of parts.slice(1, -1)) {
    const position = rest.indexOf(part);
    if (position === -1) return undefined;
    rest = rest.slice(position + part.length);
  }
  return parts.some((part) => part !== '') ? 'certain' : 'possible';
}

function decodeQuote(quoted: string): string {
  const decoded = quoted.replaceAll(
    ansiEscape,
    (
      escape,
      braced?: string,
      hex?: string,
      short?: string,
      long?: string,
      octal?: string,
      control?: string,
      other = '',
    ) => {
      if (control !== undefined) return String.fromCodePoint((control.codePointAt(0) ?? 0) & 0x1f);
      if (octal !== undefined) return String.fromCodePoint(parseInt(octal, 8) & 0xff);
      if (braced !== undefined) return String.fromCodePoint(parseInt(`0${braced.slice(-2)}`, 16));
      const digits = hex ?? short ?? long;
      if (digits === undefined) return named[other] ?? (/[\\'"?]/.test(other) ? other : escape);
      const code = parseInt(digits, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
    },
  );
  return decoded.split('\0', 1)[0] ?? '';
}
