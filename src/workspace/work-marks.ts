import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PresenceLock } from '../core/locks/presence-lock.ts';
import { type BytePath, isOverlapping } from './content/byte-path.ts';
import { readJsonFile, writeAtomically } from './content/durable-file.ts';

/** Marks workspaces as in use by a call, for other processes and for recovery after a crash. */
export interface WorkMark {
  readonly call: string;
  readonly roots: readonly BytePath[];
  /** `scanning`: the scan before the call; nothing has changed yet. */
  readonly doing: 'scanning' | 'running' | 'undoing';
  /** The id of the engine that runs the call. */
  readonly engine: string;
}

/** The marks of all engines that use this data directory, in this process and others. */
export class WorkMarks {
  readonly #directory: string;
  readonly #engine: string;
  readonly #lock: PresenceLock;

  constructor(directory: string, engine: string) {
    this.#directory = directory;
    this.#engine = engine;
    this.#lock = new PresenceLock(directory, engine);
    // Removes the locks of engines that died without a mark.
    this.#lock.liveOwners();
  }

  /**
   * Writes a mark, unless a live engine uses an overlapping workspace: then returns that engine's mark. Calls `recover` for the
   * marks of dead engines.
   */
  tryPlace(
    call: string,
    roots: readonly BytePath[],
    doing: WorkMark['doing'],
    recover: (dead: WorkMark) => void,
  ): WorkMark | undefined {
    // Writes the own mark before reading the others, so that of two concurrent processes at least one sees the other.
    this.write(call, roots, doing);
    try {
      const others = this.all().filter((mark) => mark.call !== call && overlaps(mark.roots, roots));
      if (others.length === 0) return undefined;
      const engines = this.#lock.liveOwners();
      const live = others.find(({ engine }) => engines.has(engine));
      if (live === undefined) for (const dead of others) recover(dead);
      else this.remove(call);
      return live;
    } catch (error) {
      this.remove(call);
      throw error;
    }
  }

  /** Writes or replaces the mark of a call. */
  write(call: string, roots: readonly BytePath[], doing: WorkMark['doing']): void {
    const mark: WorkMark = { call, roots, doing, engine: this.#engine };
    writeAtomically(join(this.#directory, `${call}.json`), mark);
  }

  remove(call: string): void {
    rmSync(join(this.#directory, `${call}.json`), { force: true });
  }

  all(): WorkMark[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const mark = name.endsWith('.json') ? readJsonFile(join(this.#directory, name)) : undefined;
      return mark === undefined ? [] : [mark as WorkMark];
    });
  }

  /** Returns the marks of dead engines. */
  dead(): WorkMark[] {
    // Reads the marks first: an engine that starts meanwhile has its lock before its marks.
    const others = this.all().filter(({ engine }) => engine !== this.#engine);
    if (others.length === 0) return others;
    const engines = this.#lock.liveOwners();
    return others.filter(({ engine }) => !engines.has(engine));
  }

  /** Releases the lock of this engine. Its marks then count as those of a dead engine. */
  close(): void {
    this.#lock.release();
  }
}

function overlaps(some: readonly BytePath[], others: readonly BytePath[]): boolean {
  return some.some((one) => others.some((other) => isOverlapping(one, other)));
}
