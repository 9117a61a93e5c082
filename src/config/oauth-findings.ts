import { nearest } from '../core/nearest.ts';
import { type Finding, suggestion } from './finding.ts';
import type { OAuthSettings } from './oauth-schema.ts';

/** What a schema cannot see: an issuer that is named twice, and a scope for a profile that is not there. */
export function oauthFindings(oauth: OAuthSettings | undefined, profiles: readonly string[]): Finding[] {
  const issuers = oauth?.issuers ?? [];
  return issuers.flatMap(({ issuer, scopes = {} }, index) => {
    const path = ['oauth', 'issuers', index];
    const isFirst = issuers.findIndex((each) => each.issuer === issuer) === index;
    const twice = { path: [...path, 'issuer'], message: 'the issuer is named twice' };
    const unknown = Object.entries(scopes).flatMap(([scope, { profile }]) =>
      profile === undefined || profiles.includes(profile)
        ? []
        : {
            path: [...path, 'scopes', scope, 'profile'],
            message: `there is no profile ${JSON.stringify(profile)}`,
            ...suggestion(nearest(profile, profiles)),
          },
    );
    return isFirst ? unknown : [twice, ...unknown];
  });
}
