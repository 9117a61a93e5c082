import type { BytePath } from '../content/byte-path.ts';
import { readJsonFile, writeAtomically } from '../content/durable-file.ts';
import type { FileEntry, PathChange } from '../content/file-entry.ts';
import type { WorkspaceTree } from '../content/workspace-tree.ts';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The changes of one call in one workspace. */
export interface WorkspaceChanges {
  readonly root: BytePath;
  readonly changes: readonly PathChange[];
  /** The paths that could not be stored before the call, with the reason. Changes to them cannot be undone. */
  readonly skipped: readonly { readonly path: BytePath; readonly reason: string }[];
  /** Directories with new entries that were not recorded because of the limits. Absent when everything was recorded. */
  readonly unrecorded?: readonly BytePath[];
}

/** Whether the changes of a call were undone. */
export type RecordStatus = 'kept' | 'undone' | 'partly-undone';

/** The changes of one call, from which it can be undone. */
export interface CallRecord {
  readonly call: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly workspaces: readonly WorkspaceChanges[];
  readonly status: RecordStatus;
  /** The process died while the call ran. The record may include changes that others made before recovery. */
  readonly interrupted?: true;
}

/** Stores the records of calls, one file each. */
export class CallRecords {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  read(call: string): CallRecord | undefined {
    return isValidCallId(call) ? (readJsonFile(this.#file(call)) as CallRecord | undefined) : undefined;
  }

  write(record: CallRecord): void {
    writeAtomically(this.#file(record.call), record);
  }

  remove(call: string): void {
    rmSync(this.#file(call), { force: true });
  }

  /** Yields every record. */
  *all(): Generator<CallRecord> {
    for (const name of readdirSync(this.#directory)) {
      const record = name.endsWith('.json') ? this.read(name.slice(0, -'.json'.length)) : undefined;
      if (record !== undefined) yield record;
    }
  }

  #file(call: string): string {
    return join(this.#directory, `${call}.json`);
  }
}

/** Returns whether a call id from outside is safe as a file name. */
function isValidCallId(call: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(call);
}

/** The limits for stored undo state. */
export interface Retention {
  /** Records of calls before this time are removed (milliseconds since 1970). */
  readonly since: number;
  /** The maximum size of contents that only undo needs. The oldest records are removed first. */
  readonly bytes: number;
}

/** Removes records beyond the retention limits and returns the hashes of the contents that are still needed. */
export function applyRetention(
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

function filesOf(entry: FileEntry | undefined): { content: string; size: number }[] {
  return entry?.kind === 'file' && entry.content !== null ? [{ content: entry.content, size: entry.size }] : [];
}
