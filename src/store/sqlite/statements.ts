import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { storeFailure } from './store-failure.ts';

/** A cache of prepared statements. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #location: string;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, location: string) {
    this.#database = database;
    this.#location = location;
  }

  /** Runs a statement and returns whether it changed any row. */
  change(sql: string, ...values: readonly (string | number)[]): boolean {
    try {
      return Number(this.get(sql).run(...values).changes) > 0;
    } catch (error) {
      throw storeFailure(error, this.#location);
    }
  }

  get(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}
