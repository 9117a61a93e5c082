import type { TokenChange, TokenRecord, AccessTokenStore } from '../../journal/store/access-token-store.ts';
import { type Dialect, type Statement, type TableDatabase, change } from './table-database.ts';

export function tokenSchema({ integer, orderedText, keyTable }: Dialect): string {
  return `
CREATE TABLE tokens (
  id ${orderedText} PRIMARY KEY, hash text NOT NULL, role text NOT NULL, profile text NOT NULL, name text NOT NULL,
  created_at ${integer} NOT NULL, expires_at ${integer} NOT NULL, last_used_at ${integer} NOT NULL, revoked_at ${integer} NOT NULL
) ${keyTable};
`;
}

const columns = `id, hash, role, profile, name, created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`;

export const findToken = `SELECT ${columns} FROM tokens WHERE id = ?`;

/** Stores access tokens. They are created and revoked only together with an entry, see `changeToken`. */
export class TokenTable implements AccessTokenStore {
  readonly #database: TableDatabase;

  constructor(database: TableDatabase) {
    this.#database = database;
  }

  async find(id: string): Promise<TokenRecord | undefined> {
    return (await this.#database.rows<TokenRecord>(findToken, [id]))[0];
  }

  list({ limit }: { limit: number }): Promise<TokenRecord[]> {
    return this.#database.rows(`SELECT ${columns} FROM tokens ORDER BY created_at DESC, id DESC LIMIT ?`, [limit]);
  }

  async used(id: string, at: number): Promise<void> {
    const sql = 'UPDATE tokens SET last_used_at = ?1 WHERE id = ?2 AND last_used_at < ?1';
    await this.#database.change(sql, [at, id]);
  }
}

/** Returns the statement for a change in the transaction that writes its entry. It changes nothing when the change is refused. */
export function changeToken(request: TokenChange): Statement<boolean> {
  switch (request.kind) {
    case 'create': {
      const { id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt, revokedAt } = request.record;
      const sql = 'INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING';
      return change(sql, [id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt, revokedAt]);
    }
    case 'revoke':
      return change('UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at = 0', [request.at, request.id]);
  }
}
