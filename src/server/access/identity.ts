import type { TokenCheck } from '../../access/access-tokens.ts';
import type { Principal, Role } from '../../core/principal.ts';

/** An authenticated caller and its access. */
export interface Identity {
  readonly principal: Principal;
  readonly role: Role;
  /** The profile that the caller is bound to. */
  readonly profile?: string;
  /** The id of a token that can be revoked. */
  readonly token?: string;
  /** Returns whether a token of another issuer is still valid. */
  readonly isStillValid?: () => boolean;
}

const kinds: Readonly<Record<Role, Principal['kind']>> = {
  viewer: 'agent',
  agent: 'agent',
  approver: 'human',
  admin: 'human',
};

/** The identity of the admin token, for scripts of the operator. */
export const adminIdentity: Identity = {
  principal: { id: 'token:admin', kind: 'human', name: 'admin token' },
  role: 'admin',
};

/** Returns the identity of the holder of an access token. */
export function tokenIdentity({ id, role, profile, name }: TokenCheck & { readonly state: 'active' }): Identity {
  const principal = { id: `token:${id}`, kind: kinds[role], ...(name === undefined ? {} : { name }) };
  return { principal, role, token: id, ...(profile === undefined ? {} : { profile }) };
}

/** Returns the profile of a request: the one that the caller is bound to, or else the requested one. */
export function profileFor({ profile }: Identity, requested?: string): { readonly profile?: string } {
  const effective = profile ?? requested;
  return effective === undefined ? {} : { profile: effective };
}

/** Returns whether the caller may see the hidden parts of calls: every role except viewers. */
export function maySeeHidden({ role }: Identity): boolean {
  return role !== 'viewer';
}

/** Returns whether the caller may see what `owner` did: agents see only what they and the agents in their sessions did. */
export function mayView({ role, principal }: Identity, owner: string): boolean {
  return role !== 'agent' || `${owner}/`.startsWith(`${principal.id}/`);
}
