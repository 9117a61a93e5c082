import type { Configuration } from '../config/configuration.ts';
import { pluralize } from '../core/text/pluralize.ts';

/** What a command waits for that opens a box. */
export function startingServers({ servers }: Configuration): string {
  return `starting ${pluralize(servers.length, 'server')}`;
}
