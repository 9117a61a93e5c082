import type { Principal } from '../../../core/principal.ts';
import type { SessionBook } from './session-book.ts';

/** When a job runs and what it does. */
export interface JobRequest {
  readonly cron: string;
  readonly timezone?: string;
  readonly prompt: string;
  readonly agent?: string;
  readonly cwd?: string;
}

/** What the built-in tools know of a job. */
export interface JobFacts extends JobRequest {
  readonly id: string;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  readonly lastRunAt?: string;
  readonly lastSession?: string;
  readonly lastError?: string;
}

/** Where the built-in tools keep jobs. `get`, `delete` and `restore` reject with `job-unknown` where there is none. */
export interface JobBook {
  create(request: JobRequest, owner: Principal, id: string): Promise<JobFacts>;
  list(query: { readonly owner?: string }): Promise<readonly JobFacts[]>;
  get(id: string): Promise<JobFacts>;
  delete(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}

/** What the tools about jobs need. */
export interface JobDependencies {
  readonly jobs: JobBook;
  readonly sessions: SessionBook;
}

/** A job as it is told to agents. */
export type JobLine = Omit<JobFacts, 'owner'> & { readonly owner: string };

/** What is told of a job. */
export function jobLine({ owner, ...job }: JobFacts): JobLine {
  return { ...job, owner: owner.id };
}
