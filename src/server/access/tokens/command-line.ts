import type { Principal } from '../../../core/principal.ts';
import { Problem } from '../../problems/problem.ts';
import type { Identity } from '../identity.ts';

/** Carries the principal of a request that is authenticated with the key of the run file: `human user%3Aada`. */
export const principalHeader = 'signalbox-principal';

const maxPrincipalLength = 1024;

/** Formats the value of the principal header. */
export function formatPrincipal({ kind, id }: Principal): string {
  return `${kind} ${encodeURIComponent(id)}`;
}

/**
 * Returns the identity of the command line. Only the owner of the data directory can use it, because the key is in a file that no
 * other user can read. The request names its principal, as commands do that open the records without a server.
 */
export function commandLineIdentity(header: string | string[] | undefined): Identity {
  const [, kind, encoded] = /^(human|agent) (\S+)$/.exec(typeof header === 'string' ? header : '') ?? [];
  const id = decoded(encoded);
  if ((kind !== 'human' && kind !== 'agent') || id === undefined)
    throw new Problem('request-malformed', `the header ${principalHeader} must be "human ID" or "agent ID"`);
  return { principal: { id, kind }, role: 'admin' };
}

function decoded(encoded = ''): string | undefined {
  try {
    const id = decodeURIComponent(encoded);
    return id === '' || id.length > maxPrincipalLength ? undefined : id;
  } catch {
    return undefined;
  }
}
