import type { Principal } from '../../../model/principal.ts';

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
