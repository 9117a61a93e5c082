import { readFileSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { processorTime } from '../gateway/process-figures.ts';

/** The cumulative statistics of a database. */
export interface DatabaseTotals {
  /** The processor time of all its processes, in microseconds. */
  readonly processorTime: number;
  readonly flushes: number;
  readonly walBytes: number;
}

const totals = `SELECT
  (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')::float8 AS flushes,
  (SELECT wal_bytes FROM pg_stat_wal)::float8 AS "walBytes"`;
const waiting = `SELECT coalesce(wait_event, 'running') AS event, count(*)::int AS connections FROM pg_stat_activity
  WHERE application_name = 'signalbox' AND state <> 'idle' AND pid <> pg_backend_pid() GROUP BY 1`;

/** Monitors a local PostgreSQL 18. */
export class DatabaseFigures {
  readonly #client: pg.Client;
  readonly #postmaster: number;
  readonly #seen = new Map<string, number>();
  #sampling: Promise<void> | undefined;
  #isEnded = false;

  private constructor(client: pg.Client, postmaster: number) {
    this.#client = client;
    this.#postmaster = postmaster;
  }

  static async open(address: string): Promise<DatabaseFigures> {
    const url = new URL(address);
    url.search = '';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new DatabaseFigures(client, parentOf(rows[0]?.pid ?? 0));
  }

  async take(): Promise<DatabaseTotals> {
    // Sessions report their statistics at most once a second.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const { rows } = await this.#client.query<Omit<DatabaseTotals, 'processorTime'>>(totals);
    const [row] = rows;
    if (row === undefined) throw new Error('the database returned no statistics');
    return { ...row, processorTime: familyOf(this.#postmaster).reduce((sum, pid) => sum + processorTime(pid), 0) };
  }

  /** Samples the wait events of the connections periodically. */
  startSampling(): void {
    this.#seen.clear();
    this.#isEnded = false;
    this.#sampling = this.#sample();
  }

  /** Returns the sampled wait events of busy connections, the most frequent first. */
  async stopSampling(): Promise<string> {
    this.#isEnded = true;
    await this.#sampling;
    // In a short run, the samples may have found no busy connection.
    if (this.#seen.size === 0) return 'no samples';
    const sum = [...this.#seen.values()].reduce((all, each) => all + each, 0);
    return [...this.#seen]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, 4)
      .map(([event, times]) => `${event} ${Math.round((times / sum) * 100)} %`)
      .join(', ');
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #sample(): Promise<void> {
    while (!this.#isEnded) {
      const { rows } = await this.#client.query<{ event: string; connections: number }>(waiting);
      for (const { event, connections } of rows) this.#seen.set(event, (this.#seen.get(event) ?? 0) + connections);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(pid))?.[1]);
}

function familyOf(parent: number): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return [parent, ...pids.filter((pid) => parentOf(pid) === parent)];
}

function read(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
