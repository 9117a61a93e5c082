import type { CallRecord, CallRecords } from './call-record.ts';
import type { Entry } from './entry.ts';
import type { WorkspaceTree } from './workspace-tree.ts';

/** How long calls can be undone. */
export interface Retention {
  /** Calls before this, in milliseconds since 1970, are forgotten. */
  readonly since: number;
  /** The oldest calls are forgotten until the contents kept for undo, apart from those of the present state, take no more. */
  readonly bytes: number;
}

/** Removes the records of calls that are kept no longer; answers the contents that are still needed. */
export function wantedContents(
  records: CallRecords,
  present: readonly WorkspaceTree[],
  { since, bytes }: Retention,
): Set<string> {
  const wanted = new Set<string>();
  for (const tree of present)
    for (const { entry } of tree.entries()) for (const { content } of filesOf(entry)) wanted.add(content);
  let room = bytes;
  for (const record of [...records.all()].toSorted((one, other) => other.at - one.at)) {
    const needed = new Map(
      entriesOf(record)
        .filter(({ content }) => !wanted.has(content))
        .map(({ content, size }) => [content, size]),
    );
    room -= [...needed.values()].reduce((total, size) => total + size, 0);
    if (record.at < since || room < 0) records.remove(record.call);
    else for (const content of needed.keys()) wanted.add(content);
  }
  return wanted;
}

function entriesOf({ workspaces }: CallRecord): { content: string; size: number }[] {
  return workspaces.flatMap(({ changes }) =>
    changes.flatMap(({ before, after }) => [...filesOf(before), ...filesOf(after)]),
  );
}

function filesOf(entry: Entry | undefined): { content: string; size: number }[] {
  return entry?.kind === 'file' && entry.content !== null ? [{ content: entry.content, size: entry.size }] : [];
}
