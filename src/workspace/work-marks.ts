import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BytePath, isOverlapping } from './content/byte-path.ts';
import { readJsonFile, systemErrorCode, writeAtomically } from './content/durable-file.ts';

/** Marks workspaces as in use by a call, for other processes and for recovery after a crash. */
export interface WorkMark {
  readonly call: string;
  readonly roots: readonly BytePath[];
  /** `scanning`: the scan before the call; nothing has changed yet. */
  readonly doing: 'scanning' | 'running' | 'undoing';
  readonly process: number;
  /** The start time of the process, where the system provides it, because process ids are reused. */
  readonly began: string;
  /** The id of the engine within the process. */
  readonly engine: string;
}

/** The marks of all processes that use this data directory. */
export class WorkMarks {
  readonly #directory: string;
  readonly #engine: string;
  /** The ids of engines of this process whose thread has died. */
  readonly #deadEngines: readonly string[];

  constructor(directory: string, engine: string, deadEngines: readonly string[]) {
    this.#directory = directory;
    this.#engine = engine;
    this.#deadEngines = deadEngines;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Writes a mark, unless a live process uses an overlapping workspace: then returns that process's mark. Calls `recover` for
   * the marks of dead processes.
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
      const living = others.find((mark) => this.#isAlive(mark));
      if (living === undefined) for (const dead of others) recover(dead);
      else this.remove(call);
      return living;
    } catch (error) {
      this.remove(call);
      throw error;
    }
  }

  /** Writes or replaces the mark of a call. */
  write(call: string, roots: readonly BytePath[], doing: WorkMark['doing']): void {
    const mark: WorkMark = {
      call,
      roots,
      doing,
      process: process.pid,
      began: readStartTime(process.pid),
      engine: this.#engine,
    };
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

  /** Returns the marks of dead processes. */
  dead(): WorkMark[] {
    return this.all().filter((mark) => !this.#isAlive(mark));
  }

  #isAlive({ process: id, began, engine }: WorkMark): boolean {
    if (this.#deadEngines.includes(engine)) return false;
    const now = readStartTime(id);
    return now !== '' && now === began;
  }
}

function overlaps(some: readonly BytePath[], others: readonly BytePath[]): boolean {
  return some.some((one) => others.some((other) => isOverlapping(one, other)));
}

/** Returns the start time of a process, which distinguishes it from others with the same id; empty when it does not run. */
function readStartTime(id: number): string {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return isRunning(id) ? 'running' : '';
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
