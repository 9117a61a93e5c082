import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BytePath } from './byte-path.ts';
import { readWhole, writeWhole } from './durable-file.ts';
import type { PathChange } from './entry.ts';

/** What one call changed in one workspace. */
export interface WorkspaceChanges {
  readonly root: BytePath;
  readonly changes: readonly PathChange[];
  /** What could not be kept, and why: if the call changed it, that cannot be taken back. */
  readonly skipped: readonly { readonly path: BytePath; readonly reason: string }[];
  /** Directories with new entries beyond the limits, which were not recorded. Absent where everything was. */
  readonly unrecorded?: readonly BytePath[];
}

/** What became of the changes. */
export type RecordStatus = 'kept' | 'undone' | 'partly-undone';

/** What one call changed, from which it can be undone. */
export interface CallRecord {
  readonly call: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly workspaces: readonly WorkspaceChanges[];
  readonly status: RecordStatus;
  /** The process died while the call ran: what others changed until that was found out is in here too. */
  readonly interrupted?: true;
}

/** The records of calls, one file each. */
export class CallRecords {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  read(call: string): CallRecord | undefined {
    return isId(call) ? (readWhole(this.#file(call)) as CallRecord | undefined) : undefined;
  }

  write(record: CallRecord): void {
    writeWhole(this.#file(record.call), record);
  }

  remove(call: string): void {
    rmSync(this.#file(call), { force: true });
  }

  /** Every record there is. */
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

/** Ids come from outside and become file names. */
function isId(call: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(call);
}
