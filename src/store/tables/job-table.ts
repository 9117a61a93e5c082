import type { JobClaim, JobQuery, JobRecord, JobStore } from '../../journal/store/job-store.ts';
import { Conditions } from '../conditions.ts';
import type { Dialect, TableDatabase } from './table-database.ts';

export function jobSchema({ integer, orderedText, rowTable }: Dialect): string {
  return `
CREATE TABLE jobs (
  id ${orderedText} PRIMARY KEY, owner text NOT NULL, owner_id text NOT NULL, text text NOT NULL, created_at ${integer} NOT NULL,
  next_at ${integer} NOT NULL, last_at ${integer} NOT NULL, last_session text NOT NULL, last_error text NOT NULL,
  claimed_at ${integer} NOT NULL, removed_at ${integer} NOT NULL
) ${rowTable};
CREATE INDEX jobs_next ON jobs (next_at) WHERE removed_at = 0;
`;
}

const columns = `id, owner, owner_id AS "ownerId", text, created_at AS "createdAt", next_at AS "nextAt", last_at AS "lastAt",
  last_session AS "lastSession", last_error AS "lastError"`;
const hasRoom = '(SELECT count(*) FROM jobs WHERE removed_at = 0) < ?';

/** Stores scheduled jobs. Every change is one statement, so that only one of several processes makes it. */
export class JobTable implements JobStore {
  readonly #database: TableDatabase;

  constructor(database: TableDatabase) {
    this.#database = database;
  }

  async add(job: JobRecord, maxJobs: number): Promise<boolean> {
    const { id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError } = job;
    const sql = `INSERT INTO jobs SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0 WHERE ${hasRoom} ON CONFLICT DO NOTHING`;
    const values = [id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError, maxJobs];
    // Alone, because two concurrent counts would both pass the limit.
    return (await this.#database.changeAlone('jobs', sql, values)) || (await this.get(id)) !== undefined;
  }

  get(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at = 0', id);
  }

  removed(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at > 0', id);
  }

  list({ ownerId, dueAt, aheadOf }: JobQuery = {}): Promise<JobRecord[]> {
    const conditions = new Conditions();
    conditions.add('removed_at = 0');
    conditions.add('owner_id = ?', ownerId);
    conditions.add('next_at <= ?', dueAt);
    conditions.add('(created_at > ? OR claimed_at > ?)', aheadOf, aheadOf);
    const sql = `SELECT ${columns} FROM jobs ${conditions.where} ORDER BY created_at, id`;
    return this.#database.rows(sql, conditions.values);
  }

  async nextAt(): Promise<number | undefined> {
    const sql = 'SELECT min(next_at) AS at FROM jobs WHERE removed_at = 0';
    const [row] = await this.#database.rows<{ at: number | null }>(sql);
    return row?.at ?? undefined;
  }

  claim({ id, dueAt, nextAt, at, unlessEnded }: JobClaim): Promise<boolean> {
    return this.#database.change(
      `UPDATE jobs SET last_at = next_at, next_at = ?, claimed_at = ?, last_error = ?
       WHERE id = ? AND next_at = ? AND removed_at = 0`,
      [nextAt, at, unlessEnded, id, dueAt],
    );
  }

  async end(id: string, dueAt: number, { session, error }: { session?: string; error?: string }): Promise<void> {
    const sql = 'UPDATE jobs SET last_session = coalesce(?, last_session), last_error = ? WHERE id = ? AND last_at = ?';
    await this.#database.change(sql, [session ?? null, error ?? '', id, dueAt]);
  }

  move(id: string, from: number, nextAt: number): Promise<boolean> {
    const sql = 'UPDATE jobs SET next_at = ? WHERE id = ? AND next_at = ? AND removed_at = 0';
    return this.#database.change(sql, [nextAt, id, from]);
  }

  remove(id: string, at: number): Promise<boolean> {
    return this.#database.change('UPDATE jobs SET removed_at = ? WHERE id = ? AND removed_at = 0', [at, id]);
  }

  restore(id: string, nextAt: number, maxJobs: number): Promise<boolean> {
    const sql = `UPDATE jobs SET removed_at = 0, next_at = ? WHERE id = ? AND removed_at > 0 AND ${hasRoom}`;
    return this.#database.changeAlone('jobs', sql, [nextAt, id, maxJobs]);
  }

  async forget(before: number): Promise<void> {
    await this.#database.change('DELETE FROM jobs WHERE removed_at > 0 AND removed_at < ?', [before]);
  }

  async #find(condition: string, id: string): Promise<JobRecord | undefined> {
    const sql = `SELECT ${columns} FROM jobs WHERE id = ? AND ${condition}`;
    return (await this.#database.rows<JobRecord>(sql, [id]))[0];
  }
}
