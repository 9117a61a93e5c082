import type { JobRecord } from '../journal/store/job-store.ts';
import type { Principal } from '../core/principal.ts';

/** What a new job is to do, and when. */
export interface NewJob {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The time zone that the fields are meant in; that of the machine unless said otherwise. */
  readonly timezone?: string;
  /** The message that its session begins with. */
  readonly prompt: string;
  readonly agent?: string;
  readonly cwd?: string;
}

/** A turn that begins again and again, each time in a session of its own. Times are ISO 8601, UTC. */
export interface Job extends NewJob {
  readonly id: string;
  readonly timezone: string;
  /** Whose sessions they are. */
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  /** When the last run was due. */
  readonly lastRunAt?: string;
  /** The session of the last run that had one. */
  readonly lastSession?: string;
  /** Why the last run came to nothing. */
  readonly lastError?: string;
}

/** What is kept of a job as text. */
export type JobText = NewJob & Pick<Job, 'timezone'>;

/** The job that a record tells of. */
export function jobOf(record: JobRecord): Job {
  const { id, lastSession, lastError, lastAt } = record;
  return {
    id,
    ...textOf(record),
    owner: ownerOf(record),
    createdAt: iso(record.createdAt),
    nextAt: iso(record.nextAt),
    ...(lastAt === 0 ? {} : { lastRunAt: iso(lastAt) }),
    ...(lastSession === '' ? {} : { lastSession }),
    ...(lastError === '' ? {} : { lastError }),
  };
}

/** When and what a job runs. */
export function textOf({ text }: JobRecord): JobText {
  return JSON.parse(text) as JobText;
}

/** Whose job it is. */
export function ownerOf({ owner }: JobRecord): Principal {
  return JSON.parse(owner) as Principal;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
