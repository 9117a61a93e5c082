import { createTwoFilesPatch } from 'diff';
import type { ChangeList, FileChange } from '../../core/calls/file-change.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { toDisplayPath } from '../content/byte-path.ts';
import type { WorkspaceChanges } from './call-record.ts';
import type { ContentStore } from '../content/content-store.ts';
import {
  type FileEntry,
  type PathChange,
  isSameUnread,
  isUnread,
  isSameContent,
  isSameState,
} from '../content/file-entry.ts';

const maxListedChanges = 500;
const maxTextBytes = 256 * 1024;
const maxDiffChars = 128 * 1024;
const maxDiffMs = 200;
const unrecordedNote = 'contains new entries beyond the limits of undo, which cannot be undone';

/** Lists the changes, with a diff for text files. Files of which only the times changed are not listed. */
export function toChangeList(workspaces: readonly WorkspaceChanges[], contents: ContentStore): ChangeList {
  let room = maxDiffChars;
  const all = workspaces
    .flatMap(({ root, changes, unrecorded = [] }) => {
      const beyond = new Set(unrecorded);
      return changes
        .filter(
          ({ path, before, after }) => !isSameState(before, after) || before?.isClosed === true || beyond.has(path),
        )
        .toSorted((one, other) => (one.path < other.path ? -1 : 1))
        .map((change) => ({ root, change, isUnrecorded: beyond.has(change.path) }));
    })
    // Directories with unrecorded entries come first, because the list is limited.
    .toSorted((one, other) => Number(other.isUnrecorded) - Number(one.isUnrecorded));
  const changes = all.slice(0, maxListedChanges).map(({ root, change, isUnrecorded }): FileChange => {
    const diff = room > 0 ? toDiff(change, contents) : undefined;
    room -= diff?.length ?? 0;
    const notes = [toNote(change, diff !== undefined), isUnrecorded ? unrecordedNote : ''].filter(Boolean);
    return omitUndefined({
      workspace: workspaces.length > 1 ? toDisplayPath(root) : undefined,
      path: toDisplayPath(change.path) || '.',
      kind: toChangeKind(change),
      diff,
      note: notes.length === 0 ? undefined : notes.join('; '),
    });
  });
  return { changes, total: all.length };
}

function toChangeKind({ before, after }: PathChange): FileChange['kind'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'deleted' : 'modified';
}

function toDiff({ path, before, after }: PathChange, contents: ContentStore): string | undefined {
  const [old, now] = [readText(before, contents), readText(after, contents)];
  if (old === undefined || now === undefined || old === now) return undefined;
  const name = toDisplayPath(path);
  return createTwoFilesPatch(
    before?.kind === 'file' ? `a/${name}` : '/dev/null',
    after?.kind === 'file' ? `b/${name}` : '/dev/null',
    old,
    now,
    undefined,
    undefined,
    { context: 3, timeout: maxDiffMs },
  )?.replace(/^=+\n/, '');
}

/** Returns the text of a file; an empty string for other kinds, `undefined` for files that are too large or not text. */
function readText(entry: FileEntry | undefined, contents: ContentStore): string | undefined {
  if (entry?.kind !== 'file') return '';
  if (entry.content === null || entry.size > maxTextBytes) return undefined;
  const bytes = contents.read(entry.content);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function toNote({ before, after }: PathChange, hasDiff: boolean): string {
  const notes: string[] = [];
  const entry = after ?? before;
  if (before !== undefined && after !== undefined && before.kind !== after.kind)
    notes.push(`was a ${before.kind}, now ${describeEntry(after)}`);
  else if (entry?.kind === 'symlink')
    notes.push(
      after === undefined
        ? `was ${describeEntry(entry)}`
        : `${before === undefined ? '' : 'now '}${describeEntry(after)}${before === undefined ? '' : `, was to ${toDisplayPath(before.content ?? '')}`}`,
    );
  else if (entry?.kind === 'directory' && (before === undefined || after === undefined)) notes.push('directory');
  else if (entry?.kind === 'other') notes.push('neither file nor directory; cannot be restored');
  if (before?.kind === after?.kind && before !== undefined && after !== undefined) {
    if (before.mode !== after.mode) notes.push(`mode ${before.mode.toString(8)} → ${after.mode.toString(8)}`);
    if (before.uid !== after.uid || before.gid !== after.gid)
      notes.push(`owner ${before.uid}:${before.gid} → ${after.uid}:${after.gid}`);
  }
  if (before !== undefined && isUnread(before) && !isSameUnread(before, after))
    notes.push('could not be read before the call; cannot be restored');
  else if (!hasDiff) notes.push(...sizeNotes(before, after));
  if (after?.isBeyondLimits === true) notes.push('content beyond the limits of undo');
  return notes.join('; ');
}

function sizeNotes(before: FileEntry | undefined, after: FileEntry | undefined): string[] {
  const [old, now] = [before?.kind === 'file' ? before : undefined, after?.kind === 'file' ? after : undefined];
  if (old !== undefined && now !== undefined)
    return isSameContent(old, now) || isSameUnread(old, now)
      ? []
      : [`content not shown, ${old.size} → ${now.size} bytes`];
  const only = old ?? now;
  return only === undefined ? [] : [`${only.size} bytes`];
}

function describeEntry(entry: FileEntry): string {
  return entry.kind === 'symlink' ? `a symlink to ${toDisplayPath(entry.content ?? '')}` : `a ${entry.kind}`;
}
