import type { IssuerSettings } from '../../../config/schema/oauth-schema.ts';

/** Grants access to the whole endpoint, as an agent. */
const endpointScope = 'signalbox:agent';
const profileScopePrefix = 'signalbox:profile:';

/** The access that the scopes of a token grant. */
export interface ScopeGrant {
  readonly isUnrestricted: boolean;
  readonly profiles: ReadonlySet<string>;
}

/** Returns the access that scopes grant. No scope grants more than the role `agent`. */
export function grantFromScopes(scopes: readonly string[], { scopes: configured }: IssuerSettings): ScopeGrant {
  const profiles = new Set<string>();
  let isUnrestricted = false;
  for (const scope of scopes) {
    const grant = configured === undefined ? defaultGrant(scope) : configured[scope];
    if (grant === undefined || (configured !== undefined && !Object.hasOwn(configured, scope))) continue;
    if (grant.profile === undefined) isUnrestricted = true;
    else profiles.add(grant.profile);
  }
  return { isUnrestricted, profiles };
}

/** Returns the scopes that a client requests for a profile, or for the whole endpoint. */
export function scopesFor(profile: string | undefined, { scopes: configured }: IssuerSettings): string[] {
  if (configured === undefined)
    return [profile === undefined ? endpointScope : profileScopePrefix + encodeURIComponent(profile)];
  const scopesWith = (wanted: string | undefined): string[] =>
    Object.entries(configured).flatMap(([scope, grant]) => (grant.profile === wanted ? scope : []));
  const own = scopesWith(profile);
  return own.length > 0 ? own : scopesWith(undefined);
}

function defaultGrant(scope: string): { readonly profile?: string } | undefined {
  if (scope === endpointScope) return {};
  return scope.startsWith(profileScopePrefix) ? { profile: scope.slice(profileScopePrefix.length) } : undefined;
}
