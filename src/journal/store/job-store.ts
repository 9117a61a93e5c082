/** A job as it is kept. Times are milliseconds since 1970. */
export interface JobRecord {
  readonly id: string;
  /** The principal that made it, as JSON text. */
  readonly owner: string;
  /** The id of that principal alone, to find it by. */
  readonly ownerId: string;
  /** When and what it runs, as JSON text. */
  readonly text: string;
  readonly createdAt: number;
  /** The next run that nobody has claimed. */
  readonly nextAt: number;
  /** The run that was claimed last: when it was due; 0 before the first. */
  readonly lastAt: number;
  /** The session of the last run that had one, or nothing. */
  readonly lastSession: string;
  /** Why the last run came to nothing, or nothing. */
  readonly lastError: string;
}

/** Which jobs to find; all conditions must hold. Oldest first. */
export interface JobQuery {
  readonly ownerId?: string;
  /** Only those whose next run is due at this time. */
  readonly dueAt?: number;
  /** Only those that were made or claimed after this time, by a clock that was ahead. */
  readonly aheadOf?: number;
}

/** One run of a job that somebody wants to have for himself. */
export interface JobClaim {
  readonly id: string;
  readonly dueAt: number;
  readonly nextAt: number;
  /** When it is claimed, by the clock of whoever claims it. */
  readonly at: number;
  /** What stays as the reason why the run came to nothing, unless how it ended is recorded. */
  readonly unlessEnded: string;
}

/** The part of a store that keeps schedules. */
export interface JobStore {
  /** False when there are `most` jobs already, and nothing was kept. A job that is there under its id stays as it is. */
  add(job: JobRecord, most: number): Promise<boolean>;
  get(id: string): Promise<JobRecord | undefined>;
  list(query?: JobQuery): Promise<readonly JobRecord[]>;
  /** When the next run of any job is due. */
  nextAt(): Promise<number | undefined>;
  /** Takes a run, in one step: false when somebody else has, or the job is not there any more. */
  claim(claim: JobClaim): Promise<boolean>;
  /** Records how a claimed run ended; without effect when a later one was claimed since. */
  end(id: string, dueAt: number, ending: { readonly session?: string; readonly error?: string }): Promise<void>;
  /** Sets the next run of a job whose next run is still `from`. */
  move(id: string, from: number, nextAt: number): Promise<boolean>;
  /** False when there is none. It can be restored for as long as deleted jobs are kept. */
  remove(id: string, at: number): Promise<boolean>;
  /** A job that was removed and can be restored. */
  removed(id: string): Promise<JobRecord | undefined>;
  /** Brings a removed job back, to run next at `nextAt`; false when it is not kept any more, or there are `most` jobs. */
  restore(id: string, nextAt: number, most: number): Promise<boolean>;
  /** Forgets what was removed before this time. */
  forget(before: number): Promise<void>;
}
