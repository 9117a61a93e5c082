import type { TokenChange, TokenRecord, TokenStore } from '../../../journal/store/token-store.ts';
import type { Statements } from '../statements.ts';

export const tokenSchema = `
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL, role TEXT NOT NULL, profile TEXT NOT NULL, name TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, revoked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

const columns =
  'id, hash, role, profile, name, created_at AS createdAt, expires_at AS expiresAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt';

const select = `SELECT ${columns} FROM tokens WHERE id = ?`;

/**
 * Stores access tokens. Changes happen in the transaction that writes their entry. Every request reads the same few tokens, so
 * they are cached until any process writes to the database, which is far cheaper to detect than to read them again.
 */
export class TokenTable implements TokenStore {
  readonly #statements: Statements;
  readonly #found = new Map<string, TokenRecord>();
  /** Counts what other connections have committed. */
  #version: unknown;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async find(id: string): Promise<TokenRecord | undefined> {
    const version = this.#statements.get('PRAGMA data_version').get()?.['data_version'];
    if (version !== this.#version) this.#found.clear();
    this.#version = version;
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    const row = this.#statements.get(select).get(id);
    if (row === undefined) return undefined;
    const record = plain(row);
    this.#found.set(id, record);
    return record;
  }

  async list({ limit }: { limit: number }): Promise<readonly TokenRecord[]> {
    const sql = `SELECT ${columns} FROM tokens ORDER BY created_at DESC, id DESC LIMIT ?`;
    return this.#statements.get(sql).all(limit).map(plain);
  }

  async used(id: string, at: number): Promise<void> {
    this.#found.delete(id);
    this.#statements.change('UPDATE tokens SET last_used_at = ? WHERE id = ? AND last_used_at < ?', at, id, at);
  }

  /** Applies a change. Returns false when it is refused and nothing was changed. */
  apply(change: TokenChange): boolean {
    this.#found.clear();
    switch (change.kind) {
      case 'create': {
        const { id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt, revokedAt } = change.record;
        const sql = 'INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING';
        return this.#statements.change(sql, id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt, revokedAt);
      }
      case 'revoke':
        return this.#statements.change(
          'UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at = 0',
          change.at,
          change.id,
        );
    }
  }
}

/** Copies a row, because rows have no prototype. */
function plain(row: Record<string, unknown>): TokenRecord {
  return { ...(row as unknown as TokenRecord) };
}
