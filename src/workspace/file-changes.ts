import { createTwoFilesPatch } from 'diff';
import type { ChangeList, FileChange } from '../core/calls/file-change.ts';
import { shownPath } from './byte-path.ts';
import type { WorkspaceChanges } from './call-record.ts';
import type { ContentStore } from './content-store.ts';
import { type Entry, type PathChange, isSameUnread, isUnread, sameContent, sameState } from './entry.ts';

const mostListed = 500;
const longestText = 256 * 1024;
const mostDiffed = 128 * 1024;
const longestDiffing = 200;
const unrecordedNote = 'holds new entries beyond the limits of undo, which cannot be undone';

/** Tells what changed, with a diff for text. Files whose times alone are other ones are not listed. */
export function fileChanges(workspaces: readonly WorkspaceChanges[], contents: ContentStore): ChangeList {
  let room = mostDiffed;
  const all = workspaces
    .flatMap(({ root, changes, unrecorded = [] }) => {
      const beyond = new Set(unrecorded);
      return changes
        .filter(({ path, before, after }) => !sameState(before, after) || before?.isClosed === true || beyond.has(path))
        .toSorted((one, other) => (one.path < other.path ? -1 : 1))
        .map((change) => ({ root, change, isUnrecorded: beyond.has(change.path) }));
    })
    // First, because only so many are listed.
    .toSorted((one, other) => Number(other.isUnrecorded) - Number(one.isUnrecorded));
  const changes = all.slice(0, mostListed).map(({ root, change, isUnrecorded }): FileChange => {
    const diff = room > 0 ? diffOf(change, contents) : undefined;
    room -= diff?.length ?? 0;
    const notes = [noteOf(change, diff !== undefined), isUnrecorded ? unrecordedNote : ''];
    const note = notes.filter((each) => each !== '').join('; ');
    return {
      ...(workspaces.length > 1 ? { workspace: shownPath(root) } : {}),
      path: shownPath(change.path) || '.',
      kind: change.before === undefined ? 'added' : change.after === undefined ? 'deleted' : 'modified',
      ...(diff === undefined ? {} : { diff }),
      ...(note === '' ? {} : { note }),
    };
  });
  return { changes, total: all.length };
}

function diffOf({ path, before, after }: PathChange, contents: ContentStore): string | undefined {
  const [old, now] = [textOf(before, contents), textOf(after, contents)];
  if (old === undefined || now === undefined || old === now) return undefined;
  const name = shownPath(path);
  const options = { context: 3, timeout: longestDiffing, headerOptions: { includeIndex: false } as const };
  return createTwoFilesPatch(
    before?.kind === 'file' ? `a/${name}` : '/dev/null',
    after?.kind === 'file' ? `b/${name}` : '/dev/null',
    old,
    now,
    undefined,
    undefined,
    { context: options.context, timeout: options.timeout },
  )?.replace(/^=+\n/, '');
}

/** The text of a file; of what is no file, nothing. `undefined` for what is too long or no text. */
function textOf(entry: Entry | undefined, contents: ContentStore): string | undefined {
  if (entry?.kind !== 'file') return '';
  if (entry.content === null || entry.size > longestText) return undefined;
  const bytes = contents.read(entry.content);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function noteOf({ before, after }: PathChange, hasDiff: boolean): string {
  const notes: string[] = [];
  const entry = after ?? before;
  if (before !== undefined && after !== undefined && before.kind !== after.kind)
    notes.push(`was a ${before.kind}, now ${whatIs(after)}`);
  else if (entry?.kind === 'symlink')
    notes.push(
      after === undefined
        ? `was ${whatIs(entry)}`
        : `${before === undefined ? '' : 'now '}${whatIs(after)}${before === undefined ? '' : `, was to ${shownPath(before.content ?? '')}`}`,
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

function sizeNotes(before: Entry | undefined, after: Entry | undefined): string[] {
  const [old, now] = [before?.kind === 'file' ? before : undefined, after?.kind === 'file' ? after : undefined];
  if (old !== undefined && now !== undefined)
    return sameContent(old, now) || isSameUnread(old, now)
      ? []
      : [`content not shown, ${old.size} → ${now.size} bytes`];
  const only = old ?? now;
  return only === undefined ? [] : [`${only.size} bytes`];
}

function whatIs(entry: Entry): string {
  return entry.kind === 'symlink' ? `a symlink to ${shownPath(entry.content ?? '')}` : `a ${entry.kind}`;
}
