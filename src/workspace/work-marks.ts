import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BytePath, overlap } from './byte-path.ts';
import { readWhole, writeWhole } from './durable-file.ts';

/** What is going on in some workspaces, for other processes to see and for whoever comes after a crash. */
export interface WorkMark {
  readonly call: string;
  readonly roots: readonly BytePath[];
  /** `looking`: before the call, nothing has changed yet. */
  readonly doing: 'looking' | 'running' | 'undoing';
  readonly process: number;
  /** When that process began, where the system tells: its number may belong to another one by now. */
  readonly began: string;
  /** Which one of the process it is. */
  readonly engine: string;
}

/** The marks of everybody who works with this data directory. */
export class WorkMarks {
  readonly #directory: string;
  readonly #engine: string;
  /** Engines of this process that are gone. */
  readonly #gone: readonly string[];

  constructor(directory: string, engine: string, gone: readonly string[]) {
    this.#directory = directory;
    this.#engine = engine;
    this.#gone = gone;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Puts down a mark, unless somebody is at work in an overlapping workspace: then it answers whose mark that is. The marks of
   * the dead are handed to `recover` first.
   */
  place(
    call: string,
    roots: readonly BytePath[],
    doing: WorkMark['doing'],
    recover: (dead: WorkMark) => void,
  ): WorkMark | undefined {
    // First mine, then a look at the others: of two who come at once, at least one sees the other.
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

  /** Puts a mark down, or another in the place of the one that is there. */
  write(call: string, roots: readonly BytePath[], doing: WorkMark['doing']): void {
    const mark: WorkMark = {
      call,
      roots,
      doing,
      process: process.pid,
      began: beginOf(process.pid),
      engine: this.#engine,
    };
    writeWhole(join(this.#directory, `${call}.json`), mark);
  }

  remove(call: string): void {
    rmSync(join(this.#directory, `${call}.json`), { force: true });
  }

  all(): WorkMark[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const mark = name.endsWith('.json') ? readWhole(join(this.#directory, name)) : undefined;
      return mark === undefined ? [] : [mark as WorkMark];
    });
  }

  /** The marks of processes that are gone. */
  dead(): WorkMark[] {
    return this.all().filter((mark) => !this.#isAlive(mark));
  }

  #isAlive({ process: id, began, engine }: WorkMark): boolean {
    if (this.#gone.includes(engine)) return false;
    const now = beginOf(id);
    return now !== '' && now === began;
  }
}

function overlaps(some: readonly BytePath[], others: readonly BytePath[]): boolean {
  return some.some((one) => others.some((other) => overlap(one, other)));
}

/** Something that no other process of the same number has; empty when there is no such process. */
function beginOf(id: number): string {
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
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
