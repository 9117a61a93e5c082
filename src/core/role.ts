/** What the holder of a token may do: `viewer` reads, `agent` calls tools and runs turns, `approver` answers, `admin` changes. */
export const roles = ['viewer', 'agent', 'approver', 'admin'] as const;

export type Role = (typeof roles)[number];
