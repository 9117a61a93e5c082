import { isAbsolute } from 'node:path';
import type { JobRecord, JobStore } from '../journal/store/job-store.ts';
import type { PubSub } from '../journal/store/pub-sub.ts';
import { containsSecretPattern } from '../redaction/secret-patterns.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import type { Principal } from '../core/principal.ts';
import { agentNamed } from './agent.ts';
import { cronTimes, machineTimezone } from './cron-times.ts';
import { type Job, type JobText, type NewJob, jobOf, ownerOf, textOf } from './job.ts';
import type { Sessions } from './sessions.ts';
import type { Refusal } from './turns.ts';

/** What schedules are kept in, and what their runs are made with. */
export interface ScheduleParts {
  readonly store: JobStore;
  /** Tells other processes that look after the same jobs. */
  readonly post?: PubSub;
  readonly sessions: Pick<Sessions, 'agents' | 'create' | 'send' | 'get'>;
  /** Takes what must never be kept out of a text. */
  readonly redact: (text: string) => string;
  /** Says why the jobs of an owner may not run now; `undefined` when they may. */
  readonly refusal?: Refusal;
  /** Told when jobs could not be looked at; that is tried again by itself. */
  readonly onProblem?: (message: string) => void;
  readonly now?: () => number;
}

const mostJobs = 1000;
const longestPrompt = 32_768;
const day = 24 * 60 * 60 * 1000;
/** How long deleted jobs can be restored. */
const keptFor = 7 * day;
/** How long jobs that other processes made, and clocks that were set, may go unnoticed. */
const longestSleep = 30_000;
const topic = 'jobs';
const cutShort = 'Signalbox ended before the session was made';

/**
 * Jobs that start a turn at their times, each time in a session of its own. However many processes look after one store, each
 * run is begun at most once. After a time in which nothing ran, what was missed within the last day is run once.
 */
export class Schedules {
  readonly #parts: ScheduleParts;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #state: 'made' | 'started' | 'closed' = 'made';
  #stop: (() => void) | undefined;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Keeps a job. One that is there under the same `id` stays as it is. Rejects with `job-invalid` or `agent-unknown`. */
  async create(request: NewJob, owner: Principal, id = newId('job')): Promise<Job> {
    const { timezone = machineTimezone(), cron, prompt, agent, cwd } = request;
    const now = this.#now();
    const nextAt = cronTimes(cron, timezone).next(now);
    if (nextAt === undefined) throw invalid(`${JSON.stringify(cron)} never comes: there is no such day`);
    this.#assertRunnable(request);
    const refused = await this.#parts.refusal?.(owner);
    if (refused !== undefined) throw invalid(`it would never run: ${refused}`);
    const text: JobText = {
      cron,
      timezone,
      prompt,
      ...(agent === undefined ? {} : { agent }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    const { store } = this.#parts;
    await store.forget(now - keptFor);
    const record: JobRecord = {
      id,
      owner: JSON.stringify(owner),
      ownerId: owner.id,
      text: JSON.stringify(text),
      createdAt: now,
      nextAt,
      lastAt: 0,
      lastSession: '',
      lastError: '',
    };
    if (!(await store.add(record, mostJobs))) throw full();
    this.#changed();
    return await this.get(id);
  }

  /** All jobs, or those of one owner, oldest first. */
  async list(query: { readonly owner?: string } = {}): Promise<Job[]> {
    const { owner } = query;
    return (await this.#parts.store.list(owner === undefined ? {} : { ownerId: owner })).map(jobOf);
  }

  /** Rejects with `job-unknown` where there is none of that id. */
  async get(id: string): Promise<Job> {
    const record = await this.#parts.store.get(id);
    if (record === undefined) throw unknown(id);
    return jobOf(record);
  }

  /** Deletes a job; a session that it started goes on. */
  async delete(id: string): Promise<void> {
    if (!(await this.#parts.store.remove(id, this.#now()))) throw unknown(id);
  }

  /** Brings a deleted job back, for a week. What it missed meanwhile is not made up for. */
  async restore(id: string): Promise<void> {
    const { store } = this.#parts;
    const record = await store.removed(id);
    if (record === undefined)
      throw new SignalboxError('job-unknown', `no deleted job ${id} is kept: they are for ${keptFor / day} days`);
    if (!(await store.restore(id, nextOf(record, this.#now()).at, mostJobs))) throw full();
    this.#changed();
  }

  /** Runs a job now, outside its schedule, and returns it with the result. Rejects with `job-unknown` when no job has this id. */
  async run(id: string): Promise<Job> {
    const record = await this.#parts.store.get(id);
    if (record === undefined) throw unknown(id);
    const now = this.#now();
    // The run is claimed like a due one: exactly one process gets it, and the schedule does not change.
    if (await this.#parts.store.move(id, record.nextAt, now)) await this.#run({ ...record, nextAt: now });
    return await this.get(id);
  }

  /** From now on jobs run at their times. */
  start(): void {
    if (this.#state !== 'made') return;
    this.#state = 'started';
    this.#stop = this.#parts.post?.subscribe(topic, () => this.#wake());
    this.#wake();
  }

  /** Begins no more runs, and waits for those that are being begun. Their turns go on. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#stop?.();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Begins everything that is due now. */
  async runDue(): Promise<void> {
    const { store } = this.#parts;
    for (const record of await store.list({ aheadOf: this.#now() + day })) await this.#bringBack(record);
    for (const record of await store.list({ dueAt: this.#now() })) {
      if (this.#state === 'closed') return;
      await this.#run(record);
    }
  }

  /** The clock was set back by more than a day: what was to come after a time that was no time comes as the clock says now. */
  async #bringBack(record: JobRecord): Promise<void> {
    const { at, problem } = nextOf(record, this.#now());
    if (problem === undefined && at < record.nextAt) await this.#parts.store.move(record.id, record.nextAt, at);
  }

  async #run(record: JobRecord): Promise<void> {
    const { store } = this.#parts;
    const { id, nextAt: dueAt } = record;
    const at = this.#now();
    // From the later of both, so that a clock that was set back a little does not make the same time come again.
    const { at: nextAt, problem } = nextOf(record, Math.max(at, dueAt));
    if (!(await store.claim({ id, dueAt, nextAt, at, unlessEnded: cutShort }))) return;
    const made: { session?: string } = {};
    try {
      const obstacle = problem ?? (await this.#obstacle(record));
      if (obstacle === undefined) await this.#begin(record, made);
      await store.end(id, dueAt, { ...made, ...(obstacle === undefined ? {} : { error: obstacle }) });
    } catch (error) {
      await store.end(id, dueAt, { ...made, error: messageOf(error) });
    }
  }

  /** Why a run is left out. */
  async #obstacle(record: JobRecord): Promise<string | undefined> {
    const { nextAt: dueAt, lastSession } = record;
    if (this.#now() - dueAt > day) return 'left out: it was due more than a day before Signalbox ran again';
    const refusal = await this.#parts.refusal?.(ownerOf(record));
    if (refusal !== undefined) return `left out: ${refusal}`;
    if (lastSession !== '' && (await this.#isBusy(lastSession)))
      return `left out: the session of the last run, ${lastSession}, had not ended its turn`;
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

  async #begin(record: JobRecord, made: { session?: string }): Promise<void> {
    const { sessions } = this.#parts;
    const { prompt, agent, cwd } = textOf(record);
    const session = await sessions.create(
      {
        ...(agent === undefined ? {} : { agent }),
        ...(cwd === undefined ? {} : { cwd }),
      },
      ownerOf(record),
    );
    made.session = session.id;
    await sessions.send(session.id, prompt, { id: record.id, kind: 'system' });
  }

  #assertRunnable({ prompt, agent, cwd }: NewJob): void {
    if (prompt.trim() === '') throw invalid('the prompt is empty: it is what the agent is asked to do');
    if (prompt.length > longestPrompt) throw invalid(`the prompt is longer than ${longestPrompt} characters`);
    if (containsSecretPattern(prompt) || this.#parts.redact(prompt) !== prompt)
      throw invalid('the prompt holds a secret, or what looks like one, and jobs are kept as they are; leave it out');
    if (cwd !== undefined && !isAbsolute(cwd))
      throw invalid(`the directory ${JSON.stringify(cwd)} is no absolute path`);
    if (agent !== undefined) agentNamed({ list: () => this.#parts.sessions.agents() }, agent);
  }

  /** A job may be due sooner than was known. */
  #changed(): void {
    this.#wake();
    // Whoever misses it looks by itself, later.
    if (this.#parts.post?.isCrossProcess === true) this.#parts.post.publish(topic, '').catch(() => undefined);
  }

  /** Looks at the jobs now, or once more after it has. */
  #wake(): void {
    if (this.#state !== 'started') return;
    clearTimeout(this.#timer);
    this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look());
  }

  async #look(): Promise<void> {
    let sleep = longestSleep;
    try {
      await this.runDue();
      const next = await this.#parts.store.nextAt();
      if (next !== undefined) sleep = Math.min(Math.max(next - this.#now(), 1), longestSleep);
    } catch (error) {
      this.#parts.onProblem?.(`jobs could not be looked at: ${messageOf(error)}`);
    }
    if (this.#state !== 'started') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), sleep);
  }
}

/** When a job runs next. One that cannot be told any more, its time zone say, is looked at again after a day. */
function nextOf(record: JobRecord, after: number): { readonly at: number; readonly problem?: string } {
  try {
    const { cron, timezone } = textOf(record);
    const at = cronTimes(cron, timezone).next(after);
    return at === undefined ? { at: after + day, problem: 'its schedule has no next time' } : { at };
  } catch (error) {
    return { at: after + day, problem: messageOf(error) };
  }
}

function full(): SignalboxError {
  return invalid(`there are ${mostJobs} jobs, and no more are kept; delete one first`);
}

function invalid(message: string): SignalboxError {
  return new SignalboxError('job-invalid', message);
}

function unknown(id: string): SignalboxError {
  return new SignalboxError('job-unknown', `there is no job ${id.slice(0, 100)}; list the jobs to see those there are`);
}
