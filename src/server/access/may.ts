import type { Role } from '../../core/principal.ts';

/** Who may do what. Every route names one of these as `x-roles`; an app with a route that does not is not served. */
export const may = {
  /** What everybody who is let in can see. Where it is about calls and sessions, agents see only their own. */
  look: ['viewer', 'agent', 'approver', 'admin'],
  /** The record, and what people look after. Agents have no part in it. */
  read: ['viewer', 'approver', 'admin'],
  /** Calls and turns. Approvers make none: nobody answers for what they began. */
  call: ['agent', 'admin'],
  /** Stopping and changing sessions. What makes one freer is for those who answer. */
  steer: ['agent', 'approver', 'admin'],
  /** Answers and what takes back, which count as a human's. */
  answer: ['approver', 'admin'],
  change: ['admin'],
} as const satisfies Record<string, readonly Role[]>;
