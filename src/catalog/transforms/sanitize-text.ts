/**
 * Control characters, lone surrogates, and invisible characters: zero-width, bidirectional and tag characters, fillers.
 * The two variation selectors that only choose between text and emoji presentation are allowed.
 */
const hiddenPattern = /[[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0e-\ufe0f\n\t]]/gv;
let hiddenOrEmoji: RegExp | undefined;
const lineEnd = /\r\n?|[\u0085\u2028\u2029]/g;

/** Removes invisible characters and normalizes line ends to `\n`. */
export function sanitizeText(text: string): string {
  const lines = text.replace(lineEnd, '\n');
  if (lines.search(hiddenPattern) === -1) return lines;
  return lines.replace(hiddenOrEmojiPattern(), (found) => (isHidden(found) ? '' : found));
}

/** Returns the hidden characters of a text, each once, as `U+200B`. Line ends and characters inside an emoji do not count. */
export function hiddenCharacters(text: string): string[] {
  const lines = text.replace(lineEnd, '\n');
  if (lines.search(hiddenPattern) === -1) return [];
  const found = (lines.match(hiddenOrEmojiPattern()) ?? []).filter(isHidden);
  return [...new Set(found)].map(codePoint);
}

/** Returns a pattern for hidden characters and whole emoji, some of which contain such characters. Compiled lazily, because it is slow. */
function hiddenOrEmojiPattern(): RegExp {
  return (hiddenOrEmoji ??=
    /\p{RGI_Emoji}|[[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0e-\ufe0f\n\t]]/gv);
}

/** Returns whether a match is a hidden character and not an emoji, which never begins with one. */
function isHidden(found: string): boolean {
  return found.search(hiddenPattern) === 0;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
