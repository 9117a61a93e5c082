import type { IssuerSettings } from '../../../config/schema/oauth-schema.ts';

/** What lets a client in everywhere, as an agent. */
const everything = 'signalbox:agent';
const oneProfile = 'signalbox:profile:';

/** Where a token lets its holder in. */
export interface Granted {
  readonly isEverywhere: boolean;
  readonly profiles: ReadonlySet<string>;
}

/** What the scopes of a token are good for. Nothing gives more than the role of an agent. */
export function grantedBy(scopes: readonly string[], { scopes: configured }: IssuerSettings): Granted {
  const profiles = new Set<string>();
  let isEverywhere = false;
  for (const scope of scopes) {
    const meant = configured === undefined ? usual(scope) : configured[scope];
    if (meant === undefined || (configured !== undefined && !Object.hasOwn(configured, scope))) continue;
    if (meant.profile === undefined) isEverywhere = true;
    else profiles.add(meant.profile);
  }
  return { isEverywhere, profiles };
}

/** The scopes to ask an issuer for, to be let in at a profile, or at the whole. */
export function scopesFor(profile: string | undefined, { scopes: configured }: IssuerSettings): string[] {
  if (configured === undefined) return [profile === undefined ? everything : oneProfile + encodeURIComponent(profile)];
  const fitting = (wanted: string | undefined): string[] =>
    Object.entries(configured).flatMap(([scope, meant]) => (meant.profile === wanted ? scope : []));
  const own = fitting(profile);
  return own.length > 0 ? own : fitting(undefined);
}

function usual(scope: string): { readonly profile?: string } | undefined {
  if (scope === everything) return {};
  return scope.startsWith(oneProfile) ? { profile: scope.slice(oneProfile.length) } : undefined;
}
