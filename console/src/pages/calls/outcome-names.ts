import type { Outcome } from '../../api/schema.ts';

/** The outcomes, in the order of charts and filters. */
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
