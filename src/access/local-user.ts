import { userInfo } from 'node:os';
import type { Principal } from '../core/principal.ts';

/** Returns the local user as a principal. Every process of this user counts as this person. */
export function localUser(): Principal {
  return { id: `user:${userName()}`, kind: 'human' };
}

/** Returns the name of the user, or the uid, because a user in a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
