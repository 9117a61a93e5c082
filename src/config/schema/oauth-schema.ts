import { z } from 'zod';
import { strict, text, texts } from './schema-parts.ts';

/** The accepted signature algorithms. All use a public key, so that the verifier cannot create signatures. */
export const signatures = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** The schema of `oauth`: authorization servers whose tokens the MCP endpoint accepts. */
export function oauthSchema() {
  const algorithm = z.enum(signatures, 'an algorithm with a public key, for instance "RS256" or "ES256"');

  const addressRule = 'an https address, or an http one of this machine';
  const origin = String.raw`(?:https:\/\/[^\/\s?#@]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)`;
  const address = z.string(addressRule).regex(new RegExp(String.raw`^${origin}(?:\/[^\s?#]*)?$`), addressRule);
  const originRule = `${addressRule}, without a path`;

  return strict({
    url: z
      .string(originRule)
      .regex(new RegExp(`^${origin}$`), originRule)
      .exactOptional(),
    issuers: z
      .array(
        strict({
          issuer: address,
          audience: z.union([text, texts.min(1)], 'a string, or an array of strings').exactOptional(),
          jwksUrl: address.exactOptional(),
          algorithms: z.array(algorithm, 'an array of algorithms').min(1, 'at least one algorithm').exactOptional(),
          claim: text.exactOptional(),
          scopes: z
            .record(
              z.string().regex(/^[!#-[\]-~]+$/, 'a scope: printable ASCII without spaces, quotes and backslashes'),
              strict({ profile: text.exactOptional() }),
              'an object of scopes',
            )
            .exactOptional(),
        }),
        'an array of issuers',
      )
      .min(1, 'at least one issuer'),
  });
}

/** The authorization servers whose tokens the MCP endpoint accepts. */
export type OAuthSettings = z.infer<ReturnType<typeof oauthSchema>>;

/** A trusted authorization server. */
export type IssuerSettings = OAuthSettings['issuers'][number];
