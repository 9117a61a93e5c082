import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Statements, each prepared when it is first used and kept. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Runs a statement; whether it changed anything. */
  change(sql: string, ...values: readonly (string | number)[]): boolean {
    return Number(this.get(sql).run(...values).changes) > 0;
  }

  get(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}
