import type { JobClaim, JobQuery, JobRecord, JobStore } from '../../../journal/store/job-store.ts';
import { Conditions } from '../../conditions.ts';
import type { Statements } from '../statements.ts';

export const jobSchema = `
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, owner_id TEXT NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL, last_at INTEGER NOT NULL, last_session TEXT NOT NULL, last_error TEXT NOT NULL,
  claimed_at INTEGER NOT NULL, removed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_next ON jobs (next_at) WHERE removed_at = 0;
`;

const columns =
  'id, owner, owner_id AS ownerId, text, created_at AS createdAt, next_at AS nextAt, last_at AS lastAt, last_session AS lastSession, last_error AS lastError';
const room = '(SELECT count(*) FROM jobs WHERE removed_at = 0) < ?';

/** Stores scheduled jobs. Every change is one statement, so that only one of several processes makes it. */
export class JobTable implements JobStore {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async add(job: JobRecord, most: number): Promise<boolean> {
    const { id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError } = job;
    const added = this.#run(
      `INSERT INTO jobs SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0 WHERE ${room} ON CONFLICT DO NOTHING`,
      [id, owner, ownerId, text, createdAt, nextAt, lastAt, lastSession, lastError, most],
    );
    return added || (await this.get(id)) !== undefined;
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at = 0', id);
  }

  async removed(id: string): Promise<JobRecord | undefined> {
    return this.#find('removed_at > 0', id);
  }

  async list({ ownerId, dueAt, aheadOf }: JobQuery = {}): Promise<readonly JobRecord[]> {
    const conditions = new Conditions();
    conditions.add('removed_at = ?', 0);
    conditions.add('owner_id = ?', ownerId);
    conditions.add('next_at <= ?', dueAt);
    conditions.add('max(created_at, claimed_at) > ?', aheadOf);
    const sql = `SELECT ${columns} FROM jobs ${conditions.where} ORDER BY created_at, id`;
    return this.#statements
      .get(sql)
      .all(...conditions.values)
      .map(plain);
  }

  async nextAt(): Promise<number | undefined> {
    const row = this.#statements.get('SELECT min(next_at) AS at FROM jobs WHERE removed_at = 0').get();
    return (row as unknown as { at: number | null }).at ?? undefined;
  }

  async claim({ id, dueAt, nextAt, at, unlessEnded }: JobClaim): Promise<boolean> {
    return this.#run(
      'UPDATE jobs SET last_at = next_at, next_at = ?, claimed_at = ?, last_error = ? WHERE id = ? AND next_at = ? AND removed_at = 0',
      [nextAt, at, unlessEnded, id, dueAt],
    );
  }

  async end(id: string, dueAt: number, { session, error }: { session?: string; error?: string }): Promise<void> {
    this.#run('UPDATE jobs SET last_session = ifnull(?, last_session), last_error = ? WHERE id = ? AND last_at = ?', [
      session ?? null,
      error ?? '',
      id,
      dueAt,
    ]);
  }

  async move(id: string, from: number, nextAt: number): Promise<boolean> {
    return this.#run('UPDATE jobs SET next_at = ? WHERE id = ? AND next_at = ? AND removed_at = 0', [nextAt, id, from]);
  }

  async remove(id: string, at: number): Promise<boolean> {
    return this.#run('UPDATE jobs SET removed_at = ? WHERE id = ? AND removed_at = 0', [at, id]);
  }

  async restore(id: string, nextAt: number, most: number): Promise<boolean> {
    return this.#run(`UPDATE jobs SET removed_at = 0, next_at = ? WHERE id = ? AND removed_at > 0 AND ${room}`, [
      nextAt,
      id,
      most,
    ]);
  }

  async forget(before: number): Promise<void> {
    this.#run('DELETE FROM jobs WHERE removed_at > 0 AND removed_at < ?', [before]);
  }

  #find(condition: string, id: string): JobRecord | undefined {
    const row = this.#statements.get(`SELECT ${columns} FROM jobs WHERE id = ? AND ${condition}`).get(id);
    return row === undefined ? undefined : plain(row);
  }

  #run(sql: string, values: readonly (string | number | null)[]): boolean {
    return Number(this.#statements.get(sql).run(...values).changes) > 0;
  }
}

/** Copies a row: rows have no prototype, so they would not be deeply equal to the stored object. */
function plain(row: Record<string, unknown>): JobRecord {
  return { ...(row as unknown as JobRecord) };
}
