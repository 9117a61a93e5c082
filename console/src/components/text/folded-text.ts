/** Kinds of text that an approver should not leave folded. */
export type FoldedKind = 'shell' | 'URL' | 'path';

/** The size of a folded part and the kinds of text in it. */
export interface FoldedText {
  readonly lines: number;
  readonly characters: number;
  readonly kinds: readonly FoldedKind[];
}

// Broad on purpose: a false positive costs a glance, a false negative hides a command.
const patterns: Readonly<Record<FoldedKind, RegExp>> = {
  shell:
    /\$[({]|`|&&|\|\||[|;&]\s*[\w./~-]+|>\s*[/~.]|>>\s*\w|<<<?\s*['"\w]|\b(?:bash|chmod|chown|curl|eval|powershell|scp|ssh|sudo|wget|xargs)\b|\brm -|^\s*(?:cat|cmd|cp|dd|docker|exec|git|kill|mv|nc|node|npm|npx|perl|pip|python\d?|rm|rsync|sh|source|tar|zsh)\b/m,
  URL: /\b[a-z][a-z\d+.-]*:\/\/|\b(?:data|javascript|mailto|file):|\bwww\./i,
  path: /(?:^|[\s"'=(:,[<>])(?:~|\.{1,2})?\/[^\s/]|\b[A-Za-z]:\\|\.\.\//m,
};

/** Measures a folded part. */
export function measureFolded(text: string): FoldedText {
  const kinds = (Object.keys(patterns) as FoldedKind[]).filter((kind) => patterns[kind].test(text));
  return { lines: text.split('\n').length, characters: text.length, kinds };
}

/** `180 lines, 12,345 characters`. */
export function formatSize({ lines, characters }: FoldedText): string {
  const counted = (count: number, what: string): string =>
    `${count.toLocaleString('en')} ${count === 1 ? what : `${what}s`}`;
  return `${counted(lines, 'line')}, ${counted(characters, 'character')}`;
}

const maxLines = 20;
const maxCharacters = 2000;

/** Returns the number of characters that are shown before a text is folded; the whole length if it is short. */
export function previewLength(text: string): number {
  let end = 0;
  for (let line = 0; line < maxLines; line += 1) {
    const next = text.indexOf('\n', end);
    if (next === -1) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  if (end <= maxCharacters) return end;
  // Do not split a surrogate pair.
  return /[\ud800-\udbff]/.test(text[maxCharacters - 1] ?? '') ? maxCharacters - 1 : maxCharacters;
}
