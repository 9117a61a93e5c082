import type { Principal } from '../../model/call.ts';
import { Problem } from '../problems/problem.ts';
import type { ServerContext } from '../environment.ts';

/** Who is asking, if a human is. The admin token may be in the hands of an agent: what binds agents is not theirs to change. */
export function requireHuman({ var: { principal } }: ServerContext, what: string): Principal {
  if (principal.kind === 'human') return principal;
  throw new Problem(
    'principal-refused',
    `only humans can ${what}, and ${JSON.stringify(principal.id)} is not one (${principal.kind}); open the sign-in link that "signalbox serve" prints`,
  );
}
