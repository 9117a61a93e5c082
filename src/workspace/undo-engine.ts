import { hash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeList, FileChange } from '../core/calls/file-change.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { type BytePath, toBytePath, containsPath, toDisplayPath } from './content/byte-path.ts';
import {
  type CallRecord,
  type RecordStatus,
  type Retention,
  type WorkspaceChanges,
  CallRecords,
  applyRetention,
} from './restore/call-record.ts';
import { ContentStore } from './content/content-store.ts';
import { readJsonFile, writeDurably } from './content/durable-file.ts';
import { toChangeList } from './restore/file-changes.ts';
import { IndexFile } from './content/index-file.ts';
import { restore } from './restore/restore.ts';
import { type Conflict, type RestorePlan, planRestore } from './restore/restore-plan.ts';
import { type WorkMark, WorkMarks } from './work-marks.ts';
import { type WorkspaceLimits, WorkspaceTree } from './content/workspace-tree.ts';

/** The options of an undo engine. */
export interface UndoEngineOptions {
  /** The data directory of Signalbox. Its contents are never part of a workspace. */
  readonly data: string;
  readonly limits: WorkspaceLimits;
}

/** Another call uses an overlapping workspace. */
export interface WorkspaceBusyError {
  readonly busy: string;
}

/** The size of the checkpoint before a call. */
export interface CheckpointSize {
  readonly files: number;
  readonly bytes: number;
}

/** The changes of a call. */
export interface CheckpointResult extends ChangeList {
  /** Paths that could not be stored before the call. Changes to them cannot be undone. */
  readonly skipped: readonly SkippedPath[];
  /** Directories with new entries that were not recorded because of the limits. These entries cannot be undone. */
  readonly beyondLimits: readonly SkippedPath[];
}

/** A path that cannot be restored, or was not. */
export interface SkippedPath {
  readonly workspace: string;
  readonly path: string;
  readonly reason: string;
}

/** The result of an undo. */
export interface WorkspaceUndoResult {
  /** `conflict`: nothing was changed. */
  readonly outcome: 'undone' | 'partly-undone' | 'conflict';
  /** The changes that the call had made. */
  readonly changes: readonly FileChange[];
  readonly total: number;
  readonly conflicts: readonly SkippedPath[];
}

interface Plan {
  readonly call: string;
  readonly workspaces: readonly RestorePlan[];
  readonly conflicts: readonly SkippedPath[];
}

interface CachedWorkspace {
  readonly tree: WorkspaceTree;
  readonly index: IndexFile;
}

const sweepCall = 'sweep';

/** Stores the state of workspaces before calls, lists the changes of calls, and undoes them. Runs one request at a time and never waits. */
export class UndoEngine {
  readonly #directory: string;
  readonly #data: BytePath;
  readonly #limits: WorkspaceLimits;
  readonly #cached = new Map<BytePath, CachedWorkspace>();
  readonly #id: string = randomUUID();
  #contents: ContentStore;
  #records: CallRecords;
  #marks: WorkMarks;

  constructor({ data, limits }: UndoEngineOptions) {
    this.#directory = join(data, 'undo');
    this.#limits = limits;
    ({ contents: this.#contents, records: this.#records, marks: this.#marks } = this.#open());
    this.#data = toBytePath(realpathSync(data));
  }

  /** Finishes work that was interrupted by the death of an engine. */
  recover(): void {
    this.#assureStore();
    for (const mark of this.#marks.dead()) this.#recover(mark);
  }

  /** Stores the state of the workspaces before a call. */
  begin(call: string, workspaces: readonly string[]): CheckpointSize | WorkspaceBusyError {
    this.#assureStore();
    const roots = rootsOf(workspaces);
    const other = this.#marks.tryPlace(call, roots, 'scanning', (dead) => this.#recover(dead));
    if (other !== undefined) return { busy: other.call };
    try {
      const sizes = roots.map((root) => this.#scan(root).size);
      this.#marks.write(call, roots, 'running');
      const sum = (key: 'files' | 'bytes'): number => sizes.reduce((total, size) => total + size[key], 0);
      return { files: sum('files'), bytes: sum('bytes') };
    } catch (error) {
      this.#marks.remove(call);
      throw error;
    }
  }

  /** Determines and records what the call has changed. */
  finish(call: string): CheckpointResult {
    const record = this.#endCall(call, () => this.#finish(call));
    return { ...toChangeList(record.workspaces, this.#contents), ...toUnrestorable(record) };
  }

  /** Determines what the call has changed, and reverts as much as possible. */
  rollBack(call: string): WorkspaceUndoResult {
    return this.#endCall(call, (roots) => this.#revert(this.#finish(call), roots, true));
  }

  /** Returns the recorded changes of a call; `undefined` when it has no record. */
  changesOf(
    call: string,
  ): (CheckpointResult & { readonly status: RecordStatus; readonly interrupted: boolean }) | undefined {
    const record = this.#recordOf(call);
    if (record === undefined) return undefined;
    const { status, interrupted = false } = record;
    return { ...toChangeList(record.workspaces, this.#contents), ...toUnrestorable(record), status, interrupted };
  }

  /** Reverts the changes of a call: all or none, or with `partial` only those that were not overwritten since. */
  undo(call: string, partial: boolean): WorkspaceUndoResult | WorkspaceBusyError {
    const record = this.#recordOf(call);
    if (record === undefined) throw new SignalboxError('undo-unavailable', `no changes of ${call} are stored`);
    if (record.status === 'undone') throw new SignalboxError('undo-done', `${call} was undone already`);
    const roots = record.workspaces.map(({ root }) => root);
    return this.#whileMarked(call, roots, () => this.#revert(record, roots, partial));
  }

  /** Removes the records of old calls and unreferenced contents. Returns the number of freed bytes. */
  sweep(retention: Retention, atMostEveryMs = 0): number | WorkspaceBusyError {
    this.#assureStore();
    const swept = join(this.#directory, 'swept');
    if (Date.now() - (statSync(swept, { throwIfNoEntry: false })?.mtimeMs ?? 0) < atMostEveryMs) return 0;
    return this.#whileMarked(sweepCall, ['/'], () => {
      const present = readdirSync(join(this.#directory, 'workspaces')).map((name) => {
        const tree = new WorkspaceTree('', this.#contents, this.#limits, '');
        new IndexFile(join(this.#directory, 'workspaces', name)).load(tree);
        return tree;
      });
      const freed = this.#contents.sweep(applyRetention(this.#records, present, retention));
      writeFileSync(swept, '');
      return freed;
    });
  }

  /** Acts unless another call uses an overlapping workspace, and keeps others out meanwhile. */
  #whileMarked<Result>(call: string, roots: readonly BytePath[], act: () => Result): Result | WorkspaceBusyError {
    const other = this.#marks.tryPlace(call, roots, 'scanning', (dead) => this.#recover(dead));
    if (other !== undefined) return { busy: other.call };
    try {
      return act();
    } finally {
      this.#marks.remove(call);
    }
  }

  /** Releases the lock by which others detect that this engine is alive. Calls that are not finished count as interrupted. */
  close(): void {
    this.#marks.close();
  }

  #open(): { contents: ContentStore; records: CallRecords; marks: WorkMarks } {
    for (const each of ['plans', 'workspaces'])
      mkdirSync(join(this.#directory, each), { recursive: true, mode: 0o700 });
    return {
      contents: new ContentStore(join(this.#directory, 'content')),
      records: new CallRecords(join(this.#directory, 'calls')),
      marks: new WorkMarks(join(this.#directory, 'open'), this.#id),
    };
  }

  /** Recreates the store when a tool has removed parts of it. Drops the indexes, because they refer to lost contents. */
  #assureStore(): void {
    const parts = ['plans', 'workspaces', 'content/00', 'content/ff', 'calls', `open/${this.#id}.lock`];
    if (parts.every((part) => existsSync(join(this.#directory, part)))) return;
    rmSync(join(this.#directory, 'workspaces'), { recursive: true, force: true });
    this.#cached.clear();
    ({ contents: this.#contents, records: this.#records, marks: this.#marks } = this.#open());
  }

  #scan(root: BytePath): WorkspaceTree {
    const { tree, index } = this.#workspace(root);
    try {
      index.save(tree, tree.scan().indexed);
      return tree;
    } catch (error) {
      this.#cached.delete(root);
      throw this.#failure(root, error);
    }
  }

  #workspace(root: BytePath): CachedWorkspace {
    const known = this.#cached.get(root);
    if (known?.index.isCurrent() === true) return known;
    const tree = new WorkspaceTree(root, this.#contents, this.#limits, this.#data);
    const index = new IndexFile(
      join(this.#directory, 'workspaces', hash('sha256', Buffer.from(root, 'latin1')).slice(0, 32)),
    );
    index.load(tree);
    const workspace = { tree, index };
    this.#cached.set(root, workspace);
    return workspace;
  }

  /** Records the changes since the call began. The record is written before the index, so that after a crash the index still has the old state. */
  #finish(call: string, interrupted?: true): CallRecord {
    const roots = this.#markOf(call)?.roots;
    if (roots === undefined)
      throw new SignalboxError('undo-unavailable', `the checkpoint of call ${call} no longer exists`);
    const scans = roots.map((root) => {
      const { tree, index } = this.#workspace(root);
      try {
        return { root, tree, index, scan: tree.scan({ isAfterCall: true }) };
      } catch (error) {
        this.#cached.delete(root);
        throw this.#failure(root, error);
      }
    });
    const record: CallRecord = {
      call,
      at: Date.now(),
      workspaces: scans.map(({ root, tree, scan }): WorkspaceChanges => {
        const skipped = [...tree.skipped].map(([path, reason]) => ({ path, reason }));
        const { changes, unrecorded } = scan;
        return { root, changes, skipped, ...(unrecorded.length === 0 ? {} : { unrecorded }) };
      }),
      status: 'kept',
      ...(interrupted === undefined ? {} : { interrupted }),
    };
    if (scans.some(({ scan }) => scan.changes.length > 0 || !scan.isWhole) || interrupted !== undefined)
      this.#records.write(record);
    for (const { root, tree, index, scan } of scans) {
      // A partial index is not saved, because the next checkpoint would miss a part of the workspace.
      if (scan.isWhole) index.save(tree, scan.indexed);
      else this.#cached.delete(root);
    }
    return record;
  }

  #revert(record: CallRecord, roots: readonly BytePath[], partial: boolean): WorkspaceUndoResult {
    const planned = record.workspaces.map((workspace) => ({ root: workspace.root, ...planRestore(workspace) }));
    const conflicts = planned.flatMap((each) => each.conflicts.map((conflict) => toSkippedPath(each.root, conflict)));
    const list = toChangeList(record.workspaces, this.#contents);
    // Entries beyond the limits are not an edit by others: they are reported but do not block the rest.
    const isBlocked = planned.some((each) => each.conflicts.some(({ isBeyondLimits }) => isBeyondLimits !== true));
    if (isBlocked && !partial) return { outcome: 'conflict', ...list, conflicts };
    const plan: Plan = { call: record.call, workspaces: planned.map((each) => each.plan), conflicts };
    writeDurably(this.#planFile(record.call), plan);
    this.#marks.write(record.call, roots, 'undoing');
    const left = this.#runPlan(plan, record);
    return { outcome: left.length === 0 ? 'undone' : 'partly-undone', ...list, conflicts: left };
  }

  #runPlan(plan: Plan, record: CallRecord | undefined): SkippedPath[] {
    const late = plan.workspaces.flatMap((workspace) =>
      restore(workspace, this.#contents, plan.call).map((conflict) => toSkippedPath(workspace.root, conflict)),
    );
    const conflicts = [...plan.conflicts, ...late];
    if (record !== undefined && this.#records.read(record.call) !== undefined)
      this.#records.write({ ...record, status: conflicts.length === 0 ? 'undone' : 'partly-undone' });
    rmSync(this.#planFile(plan.call), { force: true });
    return conflicts;
  }

  /** Runs the last action for a call and then releases its workspaces, even when the action fails. */
  #endCall<Result>(call: string, act: (roots: readonly BytePath[]) => Result): Result {
    this.#assureStore();
    try {
      return act(this.#markOf(call)?.roots ?? []);
    } finally {
      this.#marks.remove(call);
    }
  }

  #recover(mark: WorkMark): void {
    const { call, doing } = mark;
    const plan = readJsonFile(this.#planFile(call)) as Plan | undefined;
    if (plan !== undefined) this.#runPlan(plan, this.#records.read(call));
    else if (doing === 'running' && this.#records.read(call) === undefined) this.#finish(call, true);
    this.#marks.remove(call);
  }

  #recordOf(call: string): CallRecord | undefined {
    this.#assureStore();
    const mark = this.#marks.dead().find((each) => each.call === call);
    if (mark !== undefined) this.#recover(mark);
    return this.#records.read(call);
  }

  #markOf(call: string): WorkMark | undefined {
    return this.#marks.all().find((mark) => mark.call === call);
  }

  #planFile(call: string): string {
    return join(this.#directory, 'plans', `${call}.json`);
  }

  #failure(root: BytePath, error: unknown): SignalboxError {
    if (error instanceof SignalboxError) return error;
    const message = `cannot scan the workspace ${toDisplayPath(root)}: ${messageOf(error)}`;
    return new SignalboxError('checkpoint-failed', message, { cause: error });
  }
}

/** Returns the real paths of workspaces, without those that are inside another one. */
function rootsOf(workspaces: readonly string[]): BytePath[] {
  const roots = [...new Set(workspaces.map((workspace) => toBytePath(realRoot(workspace))))].toSorted();
  return roots.filter((root) => !roots.some((other) => other !== root && containsPath(other, root)));
}

function realRoot(workspace: string): string {
  try {
    return realpathSync(workspace);
  } catch (error) {
    throw new SignalboxError('checkpoint-failed', `the workspace ${workspace} cannot be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function toSkippedPath(root: BytePath, { path, reason }: Conflict): SkippedPath {
  return { workspace: toDisplayPath(root), path: toDisplayPath(path) || '.', reason };
}

function toUnrestorable({ workspaces }: CallRecord): Pick<CheckpointResult, 'skipped' | 'beyondLimits'> {
  const beyond = (root: BytePath, path: BytePath): SkippedPath =>
    toSkippedPath(root, { path, reason: 'more new entries were created than undo can record' });
  return {
    skipped: workspaces.flatMap(({ root, skipped }) => skipped.map((each) => toSkippedPath(root, each))),
    beyondLimits: workspaces.flatMap(({ root, unrecorded = [] }) => unrecorded.map((path) => beyond(root, path))),
  };
}
