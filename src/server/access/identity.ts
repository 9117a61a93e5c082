import type { TokenCheck } from '../../access/access-tokens.ts';
import type { Principal, Role } from '../../core/principal.ts';

/** Who is asking, and what they may do. */
export interface Identity {
  readonly principal: Principal;
  readonly role: Role;
  /** The view of the catalog that they are bound to. */
  readonly profile?: string;
  /** The id of their token, where it is one that can be revoked. */
  readonly token?: string;
  /** Whether they would still be let in, where that is not for the store of tokens to say. */
  readonly isStillGood?: () => boolean;
}

const kinds: Readonly<Record<Role, Principal['kind']>> = {
  viewer: 'agent',
  agent: 'agent',
  approver: 'human',
  admin: 'human',
};

/** A person at a browser that was signed in by a one-time link. */
export function browserIdentity(principal: Principal): Identity {
  return { principal, role: 'admin' };
}

/** A script of whoever runs this server. Agents have tokens of their own. */
export const adminIdentity: Identity = {
  principal: { id: 'token:admin', kind: 'human', name: 'admin token' },
  role: 'admin',
};

/** The holder of a token. */
export function tokenIdentity({ id, role, profile, name }: TokenCheck & { readonly state: 'active' }): Identity {
  const principal = { id: `token:${id}`, kind: kinds[role], ...(name === undefined ? {} : { name }) };
  return { principal, role, token: id, ...(profile === undefined ? {} : { profile }) };
}

/** Which view of the catalog they have: the one they are bound to, or else the one they ask for. */
export function viewFor({ profile }: Identity, asked?: string): { readonly profile?: string } {
  const seen = profile ?? asked;
  return seen === undefined ? {} : { profile: seen };
}

/** Returns whether they may see the hidden parts of calls in what they may view: all but viewers, who only ever look. */
export function maySeeHidden({ role }: Identity): boolean {
  return role !== 'viewer';
}

/** Whether what a principal did or made may be seen: agents see what is theirs, and what agents in their sessions did. */
export function mayView({ role, principal }: Identity, owner: string): boolean {
  return role !== 'agent' || `${owner}/`.startsWith(`${principal.id}/`);
}
