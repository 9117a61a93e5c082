import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { ApprovalQuery, ApprovalRecord, PrincipalCount, StoredRule } from '../../journal/store/approval-store.ts';
import type { Seal } from '../../journal/integrity/seal.ts';
import type { Beginning } from '../../journal/store/drop-request.ts';
import type { KeyValueStore } from '../../journal/store/key-value-store.ts';
import type {
  Appended,
  Claim,
  OutcomeQuery,
  ResultPage,
  StoredOutcome,
  StoredResult,
} from '../../journal/store/store.ts';
import type { AccessTokenStore } from '../../journal/store/access-token-store.ts';
import { ApprovalTable, approvalSchema } from './approval-table.ts';
import { JobTable, jobSchema } from './job-table.ts';
import { KeyValueTable, keyValueSchema } from './key-value-table.ts';
import { readBeginning, sealSchema, selectSeals } from './seal-operations.ts';
import { ResultTable, resultSchema } from './result-table.ts';
import { type SessionTable, sessionSchema } from './session-table.ts';
import type { Dialect, TableDatabase } from './table-database.ts';
import { tokenSchema } from './token-table.ts';

/** The idempotency keys, with the outcome once the call has ended, and the complete outcomes for replay. */
function outcomeSchema({ orderedText, keyTable }: Dialect): string {
  return `
CREATE TABLE claims (key ${orderedText} PRIMARY KEY, call text NOT NULL, fingerprint text NOT NULL, outcome text) ${keyTable};
CREATE TABLE recordings (call ${orderedText} PRIMARY KEY, outcome text NOT NULL) ${keyTable};
`;
}

const selectOutcomes = {
  claims:
    'SELECT key, call, fingerprint, outcome FROM claims WHERE key > ? AND outcome IS NOT NULL ORDER BY key LIMIT ?',
  recordings: `SELECT call AS key, call, '' AS fingerprint, outcome FROM recordings WHERE call > ? ORDER BY call LIMIT ?`,
} as const;

/** Returns the statements that create all tables of a `TableStore`. */
export function tableSchema(dialect: Dialect): string {
  const schemas = [
    approvalSchema,
    sessionSchema,
    tokenSchema,
    jobSchema,
    keyValueSchema,
    outcomeSchema,
    resultSchema,
    sealSchema,
  ];
  return schemas.map((schema) => schema(dialect)).join('');
}

/** The part of a store that is the same in every database: all tables except the journal. */
export abstract class TableStore {
  readonly jobs: JobTable;
  readonly keyValues: KeyValueStore;
  readonly sessions: SessionTable;
  readonly tokens: AccessTokenStore;
  readonly #database: TableDatabase;
  readonly #approvals: ApprovalTable;
  readonly #results: ResultTable;

  constructor(database: TableDatabase, sessions: SessionTable, tokens: AccessTokenStore) {
    this.#database = database;
    this.sessions = sessions;
    this.tokens = tokens;
    this.jobs = new JobTable(database);
    this.keyValues = new KeyValueTable(database, (drafts) => this.append(drafts));
    this.#approvals = new ApprovalTable(database);
    this.#results = new ResultTable(database);
  }

  abstract append(drafts: readonly EntryDraft[]): Appended | Promise<Appended>;

  seals(): Promise<readonly Seal[]> {
    return this.#database.rows(selectSeals);
  }

  beginning(): Promise<Beginning> {
    return readBeginning(this.#database);
  }

  approval(id: string): Promise<ApprovalRecord | undefined> {
    return this.#approvals.find(id);
  }

  approvals(query: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    return this.#approvals.select(query);
  }

  countApprovals(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]> {
    return this.#approvals.count(query);
  }

  rules(query?: { principal?: string; server?: string }): Promise<readonly StoredRule[]> {
    return this.#approvals.rules(query);
  }

  async claim(key: string): Promise<Claim | undefined> {
    const sql = 'SELECT call, fingerprint, outcome FROM claims WHERE key = ?';
    const [row] = await this.#database.rows<Omit<Claim, 'outcome'> & { outcome: string | null }>(sql, [key]);
    if (row === undefined) return undefined;
    const { outcome, ...claim } = row;
    return outcome === null ? claim : { ...claim, outcome };
  }

  async recording(call: string): Promise<string | undefined> {
    const sql = 'SELECT outcome FROM recordings WHERE call = ?';
    return (await this.#database.rows<{ outcome: string }>(sql, [call]))[0]?.outcome;
  }

  storedOutcomes({ from, after, limit }: OutcomeQuery): Promise<readonly StoredOutcome[]> {
    return this.#database.rows(selectOutcomes[from], [after, limit]);
  }

  storeResult(result: StoredResult): Promise<void> {
    return this.#results.store(result);
  }

  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined> {
    return this.#results.read(id, offset, limit);
  }
}
