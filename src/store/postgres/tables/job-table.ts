import type { JobClaim, JobQuery, JobRecord, JobStore } from '../../../journal/store/job-store.ts';
import { Conditions } from '../../conditions.ts';
import { type Database, type Value, numberPlaceholders } from '../database.ts';

export const jobSchema = `
CREATE TABLE jobs (
  id text COLLATE "C" PRIMARY KEY, owner text NOT NULL, owner_id text NOT NULL, text text NOT NULL, created_at bigint NOT NULL,
  next_at bigint NOT NULL, last_at bigint NOT NULL, last_session text NOT NULL, last_error text NOT NULL,
  claimed_at bigint NOT NULL, removed_at bigint NOT NULL
);
CREATE INDEX jobs_next ON jobs (next_at) WHERE removed_at = 0;
`;

const columns = `id, owner, owner_id AS "ownerId", text, created_at AS "createdAt", next_at AS "nextAt", last_at AS "lastAt",
  last_session AS "lastSession", last_error AS "lastError"`;
const room = '(SELECT count(*) FROM jobs WHERE removed_at = 0) <';

/** Stores scheduled jobs. Every change is one statement, so that only one of several processes makes it. */
export class JobTable implements JobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(job: JobRecord, most: number): Promise<boolean> {
    const { id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError } = job;
    const added = await this.#counted(
      `INSERT INTO jobs SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0 WHERE ${room} $10 ON CONFLICT DO NOTHING`,
      [id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError, most],
    );
    return added || (await this.get(id)) !== undefined;
  }

  get(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at = 0', id);
  }

  removed(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at > 0', id);
  }

  list({ ownerId, dueAt, aheadOf }: JobQuery = {}): Promise<readonly JobRecord[]> {
    const conditions = new Conditions();
    conditions.add('removed_at = ?', 0);
    conditions.add('owner_id = ?', ownerId);
    conditions.add('next_at <= ?', dueAt);
    conditions.add('greatest(created_at, claimed_at) > ?', aheadOf);
    const sql = `SELECT ${columns} FROM jobs ${conditions.where} ORDER BY created_at, id`;
    return this.#database.rows(numberPlaceholders(sql), conditions.values);
  }

  async nextAt(): Promise<number | undefined> {
    const sql = 'SELECT min(next_at) AS at FROM jobs WHERE removed_at = 0';
    const [row] = await this.#database.rows<{ at: number | null }>(sql);
    return row?.at ?? undefined;
  }

  claim({ id, dueAt, nextAt, at, unlessEnded }: JobClaim): Promise<boolean> {
    return this.#database.change(
      `UPDATE jobs SET last_at = next_at, next_at = $1, claimed_at = $2, last_error = $3
       WHERE id = $4 AND next_at = $5 AND removed_at = 0`,
      [nextAt, at, unlessEnded, id, dueAt],
    );
  }

  async end(id: string, dueAt: number, { session, error }: { session?: string; error?: string }): Promise<void> {
    await this.#database.change(
      'UPDATE jobs SET last_session = coalesce($3, last_session), last_error = $4 WHERE id = $1 AND last_at = $2',
      [id, dueAt, session ?? null, error ?? ''],
    );
  }

  move(id: string, from: number, nextAt: number): Promise<boolean> {
    return this.#database.change('UPDATE jobs SET next_at = $3 WHERE id = $1 AND next_at = $2 AND removed_at = 0', [
      id,
      from,
      nextAt,
    ]);
  }

  remove(id: string, at: number): Promise<boolean> {
    return this.#database.change('UPDATE jobs SET removed_at = $2 WHERE id = $1 AND removed_at = 0', [id, at]);
  }

  restore(id: string, nextAt: number, most: number): Promise<boolean> {
    return this.#counted(
      `UPDATE jobs SET removed_at = 0, next_at = $2 WHERE id = $1 AND removed_at > 0 AND ${room} $3`,
      [id, nextAt, most],
    );
  }

  async forget(before: number): Promise<void> {
    await this.#database.change('DELETE FROM jobs WHERE removed_at > 0 AND removed_at < $1', [before]);
  }

  async #find(condition: string, id: string): Promise<JobRecord | undefined> {
    const sql = `SELECT ${columns} FROM jobs WHERE id = $1 AND ${condition}`;
    const [row] = await this.#database.rows<JobRecord>(sql, [id]);
    return row;
  }

  /** Runs a statement that counts jobs under a table lock, because two concurrent counts would both pass the limit. */
  #counted(statement: string, values: readonly Value[]): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const locked = sql.rows('LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE');
      const [changed] = await Promise.all([sql.change(statement, values), locked]);
      return changed;
    });
  }
}
