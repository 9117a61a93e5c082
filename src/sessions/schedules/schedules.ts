import { isAbsolute } from 'node:path';
import type { JobRecord, JobStore } from '../../journal/store/job-store.ts';
import type { PubSub } from '../../journal/store/pub-sub.ts';
import { containsSecretPattern } from '../../redaction/secret-patterns.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import type { Principal } from '../../core/principal.ts';
import { findAgent } from '../agent.ts';
import { parseCron, machineTimezone } from './cron-times.ts';
import { type Job, type NewJob, toJob, parseJobOwner, parseJobText } from './job.ts';
import type { Sessions } from '../sessions.ts';
import type { TurnRefusal } from '../turns/turn-runner.ts';

/** The dependencies of a job scheduler. */
export interface JobSchedulerOptions {
  readonly store: JobStore;
  /** Notifies other processes of the same store about changed jobs. */
  readonly pubSub?: PubSub;
  readonly sessions: Pick<Sessions, 'agents' | 'create' | 'send' | 'get'>;
  /** Removes registered secrets from a text. */
  readonly redact: (text: string) => string;
  /** Returns why the jobs of an owner may not run now; `undefined` when they may. */
  readonly refusal?: TurnRefusal;
  /** Called when jobs could not be read. Schedules retry automatically. */
  readonly onProblem?: (message: string) => void;
  readonly now?: () => number;
}

const maxJobs = 1000;
const maxPromptChars = 32_768;
const dayMs = 24 * 60 * 60 * 1000;
/** The time for which deleted jobs can be restored. */
const deletedRetentionMs = 7 * dayMs;
/** The longest time until a job of another process or a changed clock is noticed. */
const maxSleepMs = 30_000;
const topic = 'jobs';
const interruptedRunError = 'Signalbox ended before the session was created';

/**
 * Jobs that run at their scheduled times, each run in a new session. When several processes share a store, each run starts at most
 * once. After downtime, a job that was due within the last day runs once.
 */
export interface Schedules {
  /** Creates a job. An existing job with the same `id` stays unchanged. Rejects with `job-invalid` or `agent-unknown`. */
  create(request: NewJob, owner: Principal, id?: string): Promise<Job>;
  /** Returns all jobs, or those of one owner, oldest first. */
  list(query?: { readonly owner?: string }): Promise<readonly Job[]>;
  /** Returns a job. Rejects with `job-unknown` when no job has this id. */
  get(id: string): Promise<Job>;
  /** Deletes a job. Sessions that it started continue. */
  delete(id: string): Promise<void>;
  /** Restores a job that was deleted less than a week ago. Runs that it missed meanwhile are skipped. */
  restore(id: string): Promise<void>;
  /** Runs a job now, outside its schedule, and returns it with the result. Rejects with `job-unknown` when no job has this id. */
  run(id: string): Promise<Job>;
  /** Starts no more runs, and waits until the runs in progress have created their sessions. Their turns continue. */
  close(): Promise<void>;
}

/** Runs the jobs of a store. Every process of the store has one. */
export class JobScheduler implements Schedules {
  readonly #parts: JobSchedulerOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #state: 'created' | 'started' | 'closed' = 'created';
  #stop: (() => void) | undefined;

  constructor(parts: JobSchedulerOptions) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Creates a job. An existing job with the same `id` stays unchanged. Rejects with `job-invalid` or `agent-unknown`. */
  async create(request: NewJob, owner: Principal, id = newId('job')): Promise<Job> {
    const { timezone = machineTimezone(), cron, prompt, agent, cwd } = request;
    const now = this.#now();
    const nextAt = parseCron(cron, timezone).next(now);
    if (nextAt === undefined) throw invalid(`${JSON.stringify(cron)} never matches: there is no such day`);
    this.#assertRunnable(request);
    const refused = await this.#parts.refusal?.(owner);
    if (refused !== undefined) throw invalid(`it would never run: ${refused}`);
    const { store } = this.#parts;
    await store.forget(now - deletedRetentionMs);
    const record: JobRecord = {
      id,
      owner: JSON.stringify(owner),
      ownerId: owner.id,
      text: JSON.stringify({ cron, timezone, prompt, agent, cwd }),
      createdAt: now,
      nextAt,
      lastAt: 0,
      lastSession: '',
      lastError: '',
    };
    if (!(await store.add(record, maxJobs))) throw tooManyJobs();
    this.#changed();
    return await this.get(id);
  }

  /** Returns all jobs, or those of one owner, oldest first. */
  async list(query: { readonly owner?: string } = {}): Promise<Job[]> {
    const { owner } = query;
    return (await this.#parts.store.list(owner === undefined ? {} : { ownerId: owner })).map(toJob);
  }

  /** Returns a job. Rejects with `job-unknown` when no job has this id. */
  async get(id: string): Promise<Job> {
    const record = await this.#parts.store.get(id);
    if (record === undefined) throw unknownJob(id);
    return toJob(record);
  }

  /** Deletes a job. Sessions that it started continue. */
  async delete(id: string): Promise<void> {
    if (!(await this.#parts.store.remove(id, this.#now()))) throw unknownJob(id);
  }

  /** Restores a job that was deleted less than a week ago. Runs that it missed meanwhile are skipped. */
  async restore(id: string): Promise<void> {
    const { store } = this.#parts;
    const record = await store.removed(id);
    if (record === undefined)
      throw new SignalboxError(
        'job-unknown',
        `there is no deleted job ${id} to restore; deleted jobs are stored for ${deletedRetentionMs / dayMs} days`,
      );
    if (!(await store.restore(id, nextRunOf(record, this.#now()).at, maxJobs))) throw tooManyJobs();
    this.#changed();
  }

  /** Runs a job now, outside its schedule, and returns it with the result. Rejects with `job-unknown` when no job has this id. */
  async run(id: string): Promise<Job> {
    const record = await this.#parts.store.get(id);
    if (record === undefined) throw unknownJob(id);
    const now = this.#now();
    // The run is claimed like a due one: exactly one process gets it, and the schedule does not change.
    if (await this.#parts.store.move(id, record.nextAt, now)) await this.#run({ ...record, nextAt: now });
    return await this.get(id);
  }

  /** Starts running jobs at their times. */
  start(): void {
    if (this.#state !== 'created') return;
    this.#state = 'started';
    this.#stop = this.#parts.pubSub?.subscribe(topic, () => this.#wake());
    this.#wake();
  }

  /** Starts no more runs, and waits until the runs in progress have created their sessions. Their turns continue. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#stop?.();
    clearTimeout(this.#timer);
    await this.#checking;
  }

  /** Starts every job that is due now. */
  async runDue(): Promise<void> {
    const { store } = this.#parts;
    for (const record of await store.list({ aheadOf: this.#now() + dayMs })) await this.#reschedule(record);
    for (const record of await store.list({ dueAt: this.#now() })) {
      if (this.#state === 'closed') return;
      await this.#run(record);
    }
  }

  /** Reschedules a job after the clock was set back by more than a day. */
  async #reschedule(record: JobRecord): Promise<void> {
    const { at, problem } = nextRunOf(record, this.#now());
    if (problem === undefined && at < record.nextAt) await this.#parts.store.move(record.id, record.nextAt, at);
  }

  async #run(record: JobRecord): Promise<void> {
    const { store } = this.#parts;
    const { id, nextAt: dueAt } = record;
    const at = this.#now();
    // Starts from the later of both, so that a clock that was set back a little does not repeat a run.
    const { at: nextAt, problem } = nextRunOf(record, Math.max(at, dueAt));
    if (!(await store.claim({ id, dueAt, nextAt, at, unlessEnded: interruptedRunError }))) return;
    const created: { session?: string } = {};
    try {
      const skipReason = problem ?? (await this.#skipReason(record));
      if (skipReason === undefined) await this.#startRun(record, created);
      await store.end(id, dueAt, { ...created, ...(skipReason === undefined ? {} : { error: skipReason }) });
    } catch (error) {
      await store.end(id, dueAt, { ...created, error: messageOf(error) });
    }
  }

  /** Returns the reason to skip a run; `undefined` when it may start. */
  async #skipReason(record: JobRecord): Promise<string | undefined> {
    const { nextAt: dueAt, lastSession } = record;
    if (this.#now() - dueAt > dayMs) return 'skipped: it was due more than a day before Signalbox ran again';
    const refusal = await this.#parts.refusal?.(parseJobOwner(record));
    if (refusal !== undefined) return `skipped: ${refusal}`;
    if (lastSession !== '' && (await this.#isBusy(lastSession)))
      return `skipped: the session of the last run, ${lastSession}, has not finished its turn`;
    return undefined;
  }

  async #isBusy(session: string): Promise<boolean> {
    try {
      const { state, queued } = await this.#parts.sessions.get(session);
      return state === 'running' || state === 'waiting' || queued > 0;
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'session-unknown') return false;
      throw error;
    }
  }

  async #startRun(record: JobRecord, created: { session?: string }): Promise<void> {
    const { sessions } = this.#parts;
    const { prompt, agent, cwd } = parseJobText(record);
    const request = { ...(agent === undefined ? {} : { agent }), ...(cwd === undefined ? {} : { cwd }) };
    const session = await sessions.create(request, parseJobOwner(record));
    created.session = session.id;
    await sessions.send(session.id, prompt, { id: record.id, kind: 'system' });
  }

  #assertRunnable({ prompt, agent, cwd }: NewJob): void {
    if (prompt.trim() === '') throw invalid('the prompt is empty; write the task for the agent');
    if (prompt.length > maxPromptChars) throw invalid(`the prompt is longer than ${maxPromptChars} characters`);
    if (containsSecretPattern(prompt) || this.#parts.redact(prompt) !== prompt)
      throw invalid(
        'the prompt contains a secret, or text that looks like one, and jobs are stored unredacted; remove it',
      );
    if (cwd !== undefined && !isAbsolute(cwd))
      throw invalid(`the directory ${JSON.stringify(cwd)} is not an absolute path`);
    if (agent !== undefined) findAgent({ list: () => this.#parts.sessions.agents() }, agent);
  }

  /** Called when a job may be due earlier than planned. */
  #changed(): void {
    this.#wake();
    // A process that misses the message polls within `maxSleepMs`.
    if (this.#parts.pubSub?.isCrossProcess === true) this.#parts.pubSub.publish(topic, '').catch(() => undefined);
  }

  /** Checks the jobs now, or again when a check is in progress. */
  #wake(): void {
    if (this.#state !== 'started') return;
    clearTimeout(this.#timer);
    this.#checking = (this.#checking ?? Promise.resolve()).then(() => this.#check());
  }

  async #check(): Promise<void> {
    let sleep = maxSleepMs;
    try {
      await this.runDue();
      const next = await this.#parts.store.nextAt();
      if (next !== undefined) sleep = Math.min(Math.max(next - this.#now(), 1), maxSleepMs);
    } catch (error) {
      this.#parts.onProblem?.(`cannot read the scheduled jobs: ${messageOf(error)}`);
    }
    if (this.#state !== 'started') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), sleep);
  }
}

/** Returns the next run of a job. When it cannot be computed, for example because of its time zone, the job is checked again after a day. */
function nextRunOf(record: JobRecord, after: number): { readonly at: number; readonly problem?: string } {
  try {
    const { cron, timezone } = parseJobText(record);
    const at = parseCron(cron, timezone).next(after);
    return at === undefined ? { at: after + dayMs, problem: 'its schedule has no next time' } : { at };
  } catch (error) {
    return { at: after + dayMs, problem: messageOf(error) };
  }
}

function tooManyJobs(): SignalboxError {
  return invalid(`there are already ${maxJobs} jobs, the maximum; delete one first`);
}

function invalid(message: string): SignalboxError {
  return new SignalboxError('job-invalid', message);
}

function unknownJob(id: string): SignalboxError {
  return new SignalboxError('job-unknown', `there is no job ${id.slice(0, 100)}; list the jobs to see their ids`);
}
