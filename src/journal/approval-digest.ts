import { hash } from 'node:crypto';

/** Approvals are found by a hash of their id: comparing the ids themselves would tell by its time how much of one is right. */
export function approvalDigest(id: string): string {
  return hash('sha256', id, 'hex');
}
