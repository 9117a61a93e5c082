import { shownValue } from './difference.ts';
import type { LockedInstructions } from './lock.ts';
import { wordDiff } from './word-diff.ts';

/** What became of a server's instructions since they were accepted. */
export interface InstructionsDiff {
  readonly kind: 'added' | 'removed' | 'changed';
  /** The difference, for people. */
  readonly text: string;
}

/** How instructions differ from what was accepted; `undefined` when they do not. */
export function diffInstructions(
  before: LockedInstructions | undefined,
  now: LockedInstructions | undefined,
): InstructionsDiff | undefined {
  if (before?.hash === now?.hash) return undefined;
  if (before === undefined) return { kind: 'added', text: shownValue(now?.text) };
  if (now === undefined) return { kind: 'removed', text: shownValue(before.text) };
  if (before.text === undefined)
    return { kind: 'changed', text: `${shownValue(now.text)} (what was accepted is not in this older lock)` };
  return { kind: 'changed', text: wordDiff(before.text, now.text ?? '') };
}
