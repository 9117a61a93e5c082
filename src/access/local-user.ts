import { userInfo } from 'node:os';
import type { Principal } from '../core/principal.ts';

/** The person at this machine. Whoever can run commands as this user counts as them. */
export function localUser(): Principal {
  return { id: `user:${userName()}`, kind: 'human' };
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
