import { dirname } from 'node:path';
import { hashOf } from '../../catalog/lock/canonical-json.ts';
import { printLock } from '../../catalog/lock/lock-format.ts';
import { type LockedServer, lockFileName } from '../../catalog/lock/lock-types.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { readLock } from '../lock/lock-file.ts';
import type { AcceptedCapability } from './trust-records.ts';
import type { Capability } from './capabilities.ts';

/**
 * Returns the servers in the lock of a configuration as capabilities. A definition in the lock counts as accepted, so a changed or removed
 * entry must itself be accepted, unless the server was removed from the configuration.
 */
export function lockCapabilities(file: string): readonly Capability[] {
  const lock = readLock(dirname(file));
  return [...(lock?.servers ?? [])].map(([server, locked]) => {
    const text = printLock({ servers: new Map([[server, locked]]) });
    return {
      id: hashOf(`lock ${text}`),
      place: placeOf(server),
      owner: `mcpServers.${server}`,
      asks: 'changed',
      section: 'set',
      text: `${lockFileName}: ${server} with ${describe(locked)}`,
    };
  });
}

/** Returns whether a capability is a locked server. */
export function isLockCapability({ place }: Pick<AcceptedCapability, 'place'>): boolean {
  return place.startsWith(placeOf(''));
}

function placeOf(server: string): string {
  return `${lockFileName}: ${server}`;
}

/** Describes the tools that run without approval because they claim to be read-only. */
function describe({ tools }: LockedServer): string {
  const reads = [...tools].filter(([, { annotations }]) => annotations?.['readOnlyHint'] === true);
  const names = reads.map(([name]) => JSON.stringify(name)).join(', ');
  return `${pluralize(tools.size, 'tool')}${reads.length === 0 ? '' : `, of which these only read: ${names}`}`;
}
