import type { Outcome } from '../../api/schema.ts';

/** In the order in which they are drawn and offered. */
export const outcomeNames = [
  'completed',
  'awaiting-approval',
  'denied',
  'failed',
  'timed-out',
  'cancelled',
  'stale',
  'unknown',
] as const satisfies readonly Outcome[];
