import type { Approvals } from './approvals.ts';

/** What waits for a human, and how humans answer. */
export type ApprovalInbox = Pick<
  Approvals,
  'list' | 'page' | 'get' | 'reveal' | 'approve' | 'deny' | 'rules' | 'revoke' | 'preview' | 'attach' | 'followCallers'
>;
