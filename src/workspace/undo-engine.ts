import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeList, FileChange } from '../core/calls/file-change.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { type BytePath, bytePath, holds, shownPath } from './byte-path.ts';
import { type CallRecord, CallRecords, type RecordStatus, type WorkspaceChanges } from './call-record.ts';
import { ContentStore } from './content-store.ts';
import { readWhole, writeDurably } from './durable-file.ts';
import { fileChanges } from './file-changes.ts';
import { IndexFile } from './index-file.ts';
import { restore } from './restore.ts';
import { type Retention, wantedContents } from './retention.ts';
import { type Conflict, type RestorePlan, planRestore } from './restore-plan.ts';
import { type WorkMark, WorkMarks } from './work-marks.ts';
import { type WorkspaceLimits, WorkspaceTree } from './workspace-tree.ts';

/** Where everything is kept, and how much. */
export interface EngineOptions {
  /** The directory of Signalbox's data; what is in it is never part of a workspace. */
  readonly data: string;
  readonly limits: WorkspaceLimits;
  /** Engines of this process that have died. */
  readonly gone: readonly string[];
  /** Tells this engine from others of the same process. */
  readonly engine: string;
}

/** Somebody else is at work there. */
export interface Busy {
  readonly busy: string;
}

/** What was kept before a call. */
export interface Begun {
  readonly files: number;
  readonly bytes: number;
}

/** What a call has changed. */
export interface Finished extends ChangeList {
  /** What could not be kept before the call; a change of it cannot be taken back. */
  readonly skipped: readonly SkippedPath[];
  /** Directories with new entries that were not recorded, because the limits were met; these cannot be taken back. */
  readonly beyondLimits: readonly SkippedPath[];
}

/** A path that cannot be restored, or was not. */
export interface SkippedPath {
  readonly workspace: string;
  readonly path: string;
  readonly reason: string;
}

/** What came of an undo. */
export interface Undone {
  /** `conflict`: nothing was touched. */
  readonly outcome: 'undone' | 'partly-undone' | 'conflict';
  /** What the call had changed. */
  readonly changes: readonly FileChange[];
  readonly total: number;
  readonly conflicts: readonly SkippedPath[];
}

interface Plan {
  readonly call: string;
  readonly workspaces: readonly RestorePlan[];
  readonly conflicts: readonly SkippedPath[];
}

interface Kept {
  readonly tree: WorkspaceTree;
  readonly index: IndexFile;
}

const sweeping = 'sweep';

/** Keeps the state of workspaces before calls, tells what calls changed, and takes it back. One thing at a time, without waiting. */
export class UndoEngine {
  readonly #directory: string;
  readonly #data: BytePath;
  readonly #limits: WorkspaceLimits;
  readonly #kept = new Map<BytePath, Kept>();
  readonly #openMarks: () => WorkMarks;
  #contents: ContentStore;
  #records: CallRecords;
  #marks: WorkMarks;

  constructor({ data, limits, gone, engine }: EngineOptions) {
    this.#directory = join(data, 'undo');
    this.#limits = limits;
    this.#openMarks = () => new WorkMarks(join(this.#directory, 'open'), engine, gone);
    ({ contents: this.#contents, records: this.#records, marks: this.#marks } = this.#open());
    this.#data = bytePath(realpathSync(data));
  }

  /** Finishes what was cut short by the death of a process. */
  recover(): void {
    this.#assureStore();
    for (const mark of this.#marks.dead()) this.#recover(mark);
  }

  /** Keeps the state of the workspaces as it is before a call. */
  begin(call: string, workspaces: readonly string[]): Begun | Busy {
    this.#assureStore();
    const roots = rootsOf(workspaces);
    const other = this.#marks.place(call, roots, 'looking', (dead) => this.#recover(dead));
    if (other !== undefined) return { busy: other.call };
    try {
      const sizes = roots.map((root) => this.#look(root).size);
      this.#marks.write(call, roots, 'running');
      const sum = (key: 'files' | 'bytes'): number => sizes.reduce((total, size) => total + size[key], 0);
      return { files: sum('files'), bytes: sum('bytes') };
    } catch (error) {
      this.#marks.remove(call);
      throw error;
    }
  }

  /** Finds out what the call has changed. */
  finish(call: string): Finished {
    const record = this.#ending(call, () => this.#finish(call));
    return { ...fileChanges(record.workspaces, this.#contents), ...leftOf(record) };
  }

  /** Finds out what the call has changed, and takes back all that can be. */
  rollBack(call: string): Undone {
    return this.#ending(call, (roots) => this.#takeBack(this.#finish(call), roots, true));
  }

  /** What a call has changed, if it can be undone. */
  changesOf(call: string): (Finished & { readonly status: RecordStatus; readonly interrupted: boolean }) | undefined {
    const record = this.#recordOf(call);
    if (record === undefined) return undefined;
    const { status, interrupted = false } = record;
    return { ...fileChanges(record.workspaces, this.#contents), ...leftOf(record), status, interrupted };
  }

  /** Takes back what a call has changed: all of it or nothing, or with `partial` all that nobody has changed since. */
  undo(call: string, partial: boolean): Undone | Busy {
    const record = this.#recordOf(call);
    if (record === undefined) throw new SignalboxError('undo-unavailable', `no changes of ${call} are kept`);
    if (record.status === 'undone') throw new SignalboxError('undo-done', `${call} was undone already`);
    const roots = record.workspaces.map(({ root }) => root);
    const other = this.#marks.place(call, roots, 'looking', (dead) => this.#recover(dead));
    if (other !== undefined) return { busy: other.call };
    try {
      return this.#takeBack(record, roots, partial);
    } finally {
      this.#marks.remove(call);
    }
  }

  /** Forgets old calls, and removes the contents that nothing needs any more. Answers how many bytes were freed. */
  sweep(retention: Retention, atMostEveryMs = 0): number | Busy {
    this.#assureStore();
    const swept = join(this.#directory, 'swept');
    if (Date.now() - (statSync(swept, { throwIfNoEntry: false })?.mtimeMs ?? 0) < atMostEveryMs) return 0;
    const other = this.#marks.place(sweeping, ['/'], 'looking', (dead) => this.#recover(dead));
    if (other !== undefined) return { busy: other.call };
    try {
      const present = readdirSync(join(this.#directory, 'workspaces')).map((name) => {
        const tree = new WorkspaceTree('', this.#contents, this.#limits, '');
        new IndexFile(join(this.#directory, 'workspaces', name)).load(tree);
        return tree;
      });
      const freed = this.#contents.sweep(wantedContents(this.#records, present, retention));
      writeFileSync(swept, '');
      return freed;
    } finally {
      this.#marks.remove(sweeping);
    }
  }

  #open(): { contents: ContentStore; records: CallRecords; marks: WorkMarks } {
    for (const each of ['plans', 'workspaces'])
      mkdirSync(join(this.#directory, each), { recursive: true, mode: 0o700 });
    return {
      contents: new ContentStore(join(this.#directory, 'content')),
      records: new CallRecords(join(this.#directory, 'calls')),
      marks: this.#openMarks(),
    };
  }

  /** A tool may have removed what is kept. Then it begins anew, without the indexes: they speak of contents that are gone. */
  #assureStore(): void {
    const parts = ['plans', 'workspaces', 'content/00', 'content/ff', 'calls', 'open'];
    if (parts.every((part) => existsSync(join(this.#directory, part)))) return;
    rmSync(join(this.#directory, 'workspaces'), { recursive: true, force: true });
    this.#kept.clear();
    ({ contents: this.#contents, records: this.#records, marks: this.#marks } = this.#open());
  }

  #look(root: BytePath): WorkspaceTree {
    const { tree, index } = this.#workspace(root);
    try {
      index.save(tree, tree.look().remembered);
      return tree;
    } catch (error) {
      this.#kept.delete(root);
      throw this.#failure(root, error);
    }
  }

  #workspace(root: BytePath): Kept {
    const known = this.#kept.get(root);
    if (known?.index.isCurrent() === true) return known;
    const tree = new WorkspaceTree(root, this.#contents, this.#limits, this.#data);
    const index = new IndexFile(
      join(this.#directory, 'workspaces', hash('sha256', Buffer.from(root, 'latin1')).slice(0, 32)),
    );
    index.load(tree);
    const kept = { tree, index };
    this.#kept.set(root, kept);
    return kept;
  }

  /** Records what is not as it was when the call began. The record comes first: without it, the index still knows the old state. */
  #finish(call: string, interrupted?: true): CallRecord {
    const roots = this.#markOf(call)?.roots;
    if (roots === undefined) throw new SignalboxError('undo-unavailable', `what was kept before ${call} is gone`);
    const looks = roots.map((root) => {
      const { tree, index } = this.#workspace(root);
      try {
        return { root, tree, index, look: tree.look({ isAfterCall: true }) };
      } catch (error) {
        this.#kept.delete(root);
        throw this.#failure(root, error);
      }
    });
    const record: CallRecord = {
      call,
      at: Date.now(),
      workspaces: looks.map(({ root, tree, look }): WorkspaceChanges => {
        const skipped = [...tree.skipped].map(([path, reason]) => ({ path, reason }));
        const { changes, unrecorded } = look;
        return { root, changes, skipped, ...(unrecorded.length === 0 ? {} : { unrecorded }) };
      }),
      status: 'kept',
      ...(interrupted === undefined ? {} : { interrupted }),
    };
    if (looks.some(({ look }) => look.changes.length > 0 || !look.isWhole) || interrupted !== undefined)
      this.#records.write(record);
    for (const { root, tree, index, look } of looks) {
      // The index must be of the whole workspace, or the next call would be checkpointed without a part of it.
      if (look.isWhole) index.save(tree, look.remembered);
      else this.#kept.delete(root);
    }
    return record;
  }

  #takeBack(record: CallRecord, roots: readonly BytePath[], partial: boolean): Undone {
    const planned = record.workspaces.map((workspace) => ({ root: workspace.root, ...planRestore(workspace) }));
    const conflicts = planned.flatMap((each) => each.conflicts.map((conflict) => shownConflict(each.root, conflict)));
    const list = fileChanges(record.workspaces, this.#contents);
    // Entries beyond the limits are nobody's edit: they are named, and do not keep the rest from being restored.
    const isBlocked = planned.some((each) => each.conflicts.some(({ isBeyondLimits }) => isBeyondLimits !== true));
    if (isBlocked && !partial) return { outcome: 'conflict', ...list, conflicts };
    const plan: Plan = { call: record.call, workspaces: planned.map((each) => each.plan), conflicts };
    writeDurably(this.#planFile(record.call), plan);
    this.#marks.write(record.call, roots, 'undoing');
    const left = this.#carryOut(plan, record);
    return { outcome: left.length === 0 ? 'undone' : 'partly-undone', ...list, conflicts: left };
  }

  #carryOut(plan: Plan, record: CallRecord | undefined): SkippedPath[] {
    const late = plan.workspaces.flatMap((workspace) =>
      restore(workspace, this.#contents, plan.call).map((conflict) => shownConflict(workspace.root, conflict)),
    );
    const conflicts = [...plan.conflicts, ...late];
    if (record !== undefined && this.#records.read(record.call) !== undefined)
      this.#records.write({ ...record, status: conflicts.length === 0 ? 'undone' : 'partly-undone' });
    rmSync(this.#planFile(plan.call), { force: true });
    return conflicts;
  }

  /** The last thing done for a call: whatever comes of it, others may work there again. */
  #ending<Result>(call: string, act: (roots: readonly BytePath[]) => Result): Result {
    this.#assureStore();
    try {
      return act(this.#markOf(call)?.roots ?? []);
    } finally {
      this.#marks.remove(call);
    }
  }

  #recover(mark: WorkMark): void {
    const { call, doing } = mark;
    const plan = readWhole(this.#planFile(call)) as Plan | undefined;
    if (plan !== undefined) this.#carryOut(plan, this.#records.read(call));
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
    const message = `the workspace ${shownPath(root)} could not be looked at: ${messageOf(error)}`;
    return new SignalboxError('checkpoint-failed', message, { cause: error });
  }
}

/** Real paths, without those that stand in another one. */
function rootsOf(workspaces: readonly string[]): BytePath[] {
  const roots = [...new Set(workspaces.map((workspace) => bytePath(realRoot(workspace))))].toSorted();
  return roots.filter((root) => !roots.some((other) => other !== root && holds(other, root)));
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

function shownConflict(root: BytePath, { path, reason }: Conflict): SkippedPath {
  return { workspace: shownPath(root), path: shownPath(path) || '.', reason };
}

function leftOf({ workspaces }: CallRecord): Pick<Finished, 'skipped' | 'beyondLimits'> {
  const beyond = (root: BytePath, path: BytePath): SkippedPath =>
    shownConflict(root, { path, reason: 'it got more new entries than undo records' });
  return {
    skipped: workspaces.flatMap(({ root, skipped }) => skipped.map((each) => shownConflict(root, each))),
    beyondLimits: workspaces.flatMap(({ root, unrecorded = [] }) => unrecorded.map((path) => beyond(root, path))),
  };
}
