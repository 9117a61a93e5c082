/** Who is asking. Humans may approve, agents may not. */
export interface Principal {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'system';
  /** What people call it, where that differs from the id. Several may have the same name; only ids are compared. */
  readonly name?: string;
}

/** Returns what people call a principal. */
export function principalName({ id, name }: Pick<Principal, 'id' | 'name'>): string {
  return name ?? id;
}

/** Returns what people call a principal, with its id where that differs. */
export function fullPrincipalName({ id, name }: Pick<Principal, 'id' | 'name'>): string {
  return name === undefined || name === id ? id : `${name} (${id})`;
}

/** What the holder of a token may do: `viewer` reads, `agent` calls tools and runs turns, `approver` answers, `admin` changes. */
export const roles = ['viewer', 'agent', 'approver', 'admin'] as const;

export type Role = (typeof roles)[number];
