import type { Role } from '../../core/principal.ts';

/** The roles that may use a route. Every route declares one of these as `x-roles`; the app refuses to start with a route that does not. */
export const routeRoles = {
  /** Data for every authenticated caller. Agents see only their own calls and sessions. */
  view: ['viewer', 'agent', 'approver', 'admin'],
  /** The journal, and everything that people administer. Not for agents. */
  read: ['viewer', 'approver', 'admin'],
  /** Calls and turns. Not for approvers: nobody else would approve what they start. */
  call: ['agent', 'admin'],
  /** Stop and change sessions. Only `answer` roles may choose a less restrictive permission mode. */
  steer: ['agent', 'approver', 'admin'],
  /** Approvals, answers and undo, which count as a human's. */
  answer: ['approver', 'admin'],
  change: ['admin'],
} as const satisfies Record<string, readonly Role[]>;
