/** The stored form of a scheduled job. Times are milliseconds since 1970. */
export interface JobRecord {
  readonly id: string;
  /** The principal that created it, as JSON text. */
  readonly owner: string;
  /** The id of that principal, for queries. */
  readonly ownerId: string;
  /** The schedule and the prompt, as JSON text. */
  readonly text: string;
  readonly createdAt: number;
  /** The due time of the next unclaimed run. */
  readonly nextAt: number;
  /** The due time of the last claimed run; 0 before the first. */
  readonly lastAt: number;
  /** The session of the last run that had one, or an empty string. */
  readonly lastSession: string;
  /** The reason why the last run failed, or an empty string. */
  readonly lastError: string;
}

/** A query for jobs, oldest first. All conditions must match. */
export interface JobQuery {
  readonly ownerId?: string;
  /** Only jobs whose next run is due at this time. */
  readonly dueAt?: number;
  /** Only jobs that were created or claimed after this time, by a clock that was ahead. */
  readonly aheadOf?: number;
}

/** The claim of a process to one run of a job. */
export interface JobClaim {
  readonly id: string;
  readonly dueAt: number;
  readonly nextAt: number;
  /** The time of the claim, by the clock of the claiming process. */
  readonly at: number;
  /** The error of the run if its end is never recorded. */
  readonly unlessEnded: string;
}

/** The part of the `Store` interface for scheduled jobs. */
export interface JobStore {
  /** Adds a job. Returns false when there are already `maxJobs` jobs. Does not change an existing job with the same id. */
  add(job: JobRecord, maxJobs: number): Promise<boolean>;
  get(id: string): Promise<JobRecord | undefined>;
  list(query?: JobQuery): Promise<readonly JobRecord[]>;
  /** Returns the due time of the next run of any job. */
  nextAt(): Promise<number | undefined>;
  /** Claims a run atomically. Returns false when it is already claimed, or the job does not exist. */
  claim(claim: JobClaim): Promise<boolean>;
  /** Records the end of a claimed run. Has no effect when a later run has been claimed. */
  end(id: string, dueAt: number, ending: { readonly session?: string; readonly error?: string }): Promise<void>;
  /** Sets the next run of a job whose next run is still `from`. */
  move(id: string, from: number, nextAt: number): Promise<boolean>;
  /** Removes a job. Returns false when it does not exist. It can be restored until `forget`. */
  remove(id: string, at: number): Promise<boolean>;
  /** Returns a removed job that can be restored. */
  removed(id: string): Promise<JobRecord | undefined>;
  /** Restores a removed job with its next run at `nextAt`. Returns false when it is no longer stored, or there are `maxJobs` jobs. */
  restore(id: string, nextAt: number, maxJobs: number): Promise<boolean>;
  /** Deletes the jobs that were removed before this time. */
  forget(before: number): Promise<void>;
}
