import type { HiddenPart } from '../../api/schema.ts';
import type { TextMark } from '../text/text-mark.ts';

const kinds: Readonly<Record<HiddenPart['kind'], string>> = {
  registered: 'a registered secret',
  pattern: 'looks like a secret',
  key: 'the value of a secret key',
  size: 'too long to store',
};

/** Returns whether hidden parts must be revealed or acknowledged. Registered secrets need neither. */
export function needsReveal(hidden: readonly HiddenPart[]): boolean {
  return hidden.some(({ kind }) => kind !== 'registered');
}

/** Marks the placeholders of hidden parts before a reveal. */
export function hiddenMarks(hidden: readonly HiddenPart[]): readonly TextMark[] {
  return hidden.map((part) => ({
    path: part.path,
    isInName: part.inName === true,
    start: part.start,
    end: part.start + part.placeholder.length,
    tone: 'hidden',
    words: `hidden: ${lengthText(part.length)}, ${kinds[part.kind]}`,
  }));
}

/**
 * Marks the parts of revealed arguments that were hidden before. Each part shifts by the difference in length between the parts
 * before it and their placeholders; registered secrets stay placeholders. A part in a name, or one too long to store, changes paths:
 * it is not marked.
 */
export function revealedMarks(before: readonly HiddenPart[], stillHidden: readonly HiddenPart[]): readonly TextMark[] {
  const marks: TextMark[] = [];
  const moved = new Map<string, number>();
  const inValues = before.filter(({ inName, kind }) => inName !== true && kind !== 'size');
  for (const { path, start, length, kind, placeholder } of inValues.toSorted(
    (left, right) => left.start - right.start,
  )) {
    if (kind === 'registered') continue;
    const by = moved.get(path) ?? 0;
    marks.push({
      path,
      isInName: false,
      start: start + by,
      end: start + by + length,
      tone: 'revealed',
      words: `revealed: ${lengthText(length)}`,
    });
    moved.set(path, by + length - placeholder.length);
  }
  return [...marks, ...hiddenMarks(stillHidden)];
}

function lengthText(length: number): string {
  return `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}`;
}
