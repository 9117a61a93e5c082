import type { TokenChange, TokenRecord, TokenStore } from '../../../journal/store/token-store.ts';
import type { Sql } from '../database.ts';

export const tokenSchema = `
CREATE TABLE tokens (
  id text COLLATE "C" PRIMARY KEY, hash text NOT NULL, role text NOT NULL, profile text NOT NULL, name text NOT NULL,
  created_at bigint NOT NULL, expires_at bigint NOT NULL, last_used_at bigint NOT NULL, revoked_at bigint NOT NULL
);
`;

const columns = `id, hash, role, profile, name, created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`;

/** Stores access tokens. */
export class TokenTable implements TokenStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async find(id: string): Promise<TokenRecord | undefined> {
    const [row] = await this.#sql.rows<TokenRecord>(`SELECT ${columns} FROM tokens WHERE id = $1`, [id]);
    return row;
  }

  list({ limit }: { limit: number }): Promise<readonly TokenRecord[]> {
    return this.#sql.rows(`SELECT ${columns} FROM tokens ORDER BY created_at DESC, id DESC LIMIT $1`, [limit]);
  }

  async used(id: string, at: number): Promise<void> {
    await this.#sql.change('UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2', [id, at]);
  }
}

/** Applies a change in the transaction that writes its entry. Returns false when it is refused and nothing was changed. */
export function changeToken(sql: Sql, change: TokenChange): Promise<boolean> {
  switch (change.kind) {
    case 'create': {
      const { id, hash, role, profile, name, createdAt, expiresAt, lastUsedAt, revokedAt } = change.record;
      return sql.change('INSERT INTO tokens VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING', [
        id,
        hash,
        role,
        profile,
        name,
        createdAt,
        expiresAt,
        lastUsedAt,
        revokedAt,
      ]);
    }
    case 'revoke':
      return sql.change('UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0', [change.id, change.at]);
  }
}
