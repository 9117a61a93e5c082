/** The identity that makes a call. Humans may approve, agents may not. */
export interface Principal {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'system';
  /** Display name, when it differs from the id. Names are not unique; only ids are compared. */
  readonly name?: string;
}

/** Returns the display name of a principal. */
export function principalName({ id, name }: Pick<Principal, 'id' | 'name'>): string {
  return name ?? id;
}

/** Returns the display name of a principal, followed by its id when they differ. */
export function fullPrincipalName({ id, name }: Pick<Principal, 'id' | 'name'>): string {
  return name === undefined || name === id ? id : `${name} (${id})`;
}

/** The roles of access tokens: `viewer` reads, `agent` calls tools and runs turns, `approver` answers approvals, `admin` changes settings. */
export const roles = ['viewer', 'agent', 'approver', 'admin'] as const;

/** The role of an access token. */
export type Role = (typeof roles)[number];
