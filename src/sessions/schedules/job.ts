import type { JobRecord } from '../../journal/store/job-store.ts';
import type { Principal } from '../../core/principal.ts';

/** The description of a new scheduled job. */
export interface NewJob {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The time zone of the fields. Defaults to the time zone of the machine. */
  readonly timezone?: string;
  /** The first message of each run's session. */
  readonly prompt: string;
  readonly agent?: string;
  readonly cwd?: string;
}

/** A scheduled job. Each run starts a turn in a new session. Times are ISO 8601, UTC. */
export interface Job extends NewJob {
  readonly id: string;
  readonly timezone: string;
  /** The owner of the sessions. */
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  /** The time at which the last run was due. */
  readonly lastRunAt?: string;
  /** The session of the last run that created one. */
  readonly lastSession?: string;
  /** The reason why the last run failed or was skipped. */
  readonly lastError?: string;
}

/** Converts a stored record to a job. */
export function toJob(record: JobRecord): Job {
  const { id, lastSession, lastError, lastAt } = record;
  return {
    id,
    ...parseJobText(record),
    owner: parseJobOwner(record),
    createdAt: toIsoTime(record.createdAt),
    nextAt: toIsoTime(record.nextAt),
    ...(lastAt === 0 ? {} : { lastRunAt: toIsoTime(lastAt) }),
    ...(lastSession === '' ? {} : { lastSession }),
    ...(lastError === '' ? {} : { lastError }),
  };
}

/** Parses the schedule and the prompt of a record. */
export function parseJobText({ text }: JobRecord): NewJob & Pick<Job, 'timezone'> {
  return JSON.parse(text) as NewJob & Pick<Job, 'timezone'>;
}

/** Parses the owner of a record. */
export function parseJobOwner({ owner }: JobRecord): Principal {
  return JSON.parse(owner) as Principal;
}

function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}
