import { hashOf } from './canonical.ts';
import type { LockedInstructions } from './lock.ts';

/** What a server tells models about itself, as it goes into the lock. */
export function pinInstructions(text: string): Required<LockedInstructions> {
  return { hash: hashOf(text), text };
}
