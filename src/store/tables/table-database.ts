/** A parameter of a statement. */
export type Parameter = string | number | boolean | null;

/** A statement with placeholders `?` or `?1`. */
export interface Statement<Reply = unknown> {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Whether the reply is the rows, or whether any row was changed. */
  readonly replyWith: 'rows' | 'change';
  /** Exists only as a type. */
  readonly reply?: Reply;
}

/**
 * The work of a transaction, written once for every database: yields statements and receives their replies. SQLite runs it
 * synchronously; PostgreSQL sends statements that are yielded together in one round trip.
 */
export type Operation<Result> = Generator<readonly Statement[], Result, readonly unknown[]>;

type Replies<Statements> = {
  [Index in keyof Statements]: Statements[Index] extends Statement<infer Reply> ? Reply : never;
};

/** A statement that replies with its rows. */
export function select<Row>(sql: string, parameters: readonly Parameter[] = []): Statement<Row[]> {
  return { sql, parameters, replyWith: 'rows' };
}

/** A statement that replies with whether it changed any row. */
export function change(sql: string, parameters: readonly Parameter[] = []): Statement<boolean> {
  return { sql, parameters, replyWith: 'change' };
}

/** Runs statements in this order and returns their replies. */
export function* execute<const Statements extends readonly Statement[]>(
  ...statements: Statements
): Generator<readonly Statement[], Replies<Statements>, readonly unknown[]> {
  return (yield statements) as Replies<Statements>;
}

/** The SQL that differs between the databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The type of whole numbers. */
  readonly integer: string;
  readonly boolean: string;
  /** The type of a text that rows are ordered by, by code point. */
  readonly orderedText: string;
  /** The type of a primary key that numbers the rows as they are inserted. */
  readonly identity: string;
  /** The options of a table with a number for each row, and of one with a key of its own. */
  readonly rowTable: string;
  readonly keyTable: string;
  /** The end of a SELECT that locks its rows until the end of the transaction. */
  readonly forUpdate: string;
  /** The condition that a boolean column is false, in the form that matches the partial indexes. */
  isFalse(column: string): string;
}

/** A database that runs the statements of the tables. */
export interface TableDatabase {
  readonly dialect: Dialect;
  rows<Row>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
  /** Runs a statement and returns whether it changed any row. */
  change(sql: string, parameters?: readonly Parameter[]): Promise<boolean>;
  /** Runs a statement while no other process changes the table. */
  changeAlone(table: string, sql: string, parameters: readonly Parameter[]): Promise<boolean>;
  /** Runs an operation in a transaction. A database may run it again after a conflict. */
  run<Result>(operation: () => Operation<Result>): Promise<Result>;
}
