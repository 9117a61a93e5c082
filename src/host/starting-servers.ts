import type { Configuration } from '../config/configuration.ts';
import { counted } from '../core/text/pluralize.ts';

/** What a command waits for that opens a box. */
export function startingServers({ servers }: Configuration): string {
  return `starting ${counted(servers.length, 'server')}`;
}
