import { ImportedSecrets } from '../import/imported-secrets.ts';
import type { ExternalEntry } from '../configuration.ts';
import { authorizationScheme, isRandomLooking, isLikelySecret } from './secret-detection.ts';

/** A credential that stands in the configuration itself, in the place of a reference to it. */
export interface LiteralSecret {
  /** Where it stands: `mcpServers.web.auth.token`. */
  readonly path: string;
  /** What it could be called where secrets are kept. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values would take ordinary words out of the record. */
const shortest = 8;

/** The credentials of an entry that are written out, so that they are kept out of the record all the same. */
export function literalSecrets({ name: server, settings }: Pick<ExternalEntry, 'name' | 'settings'>): LiteralSecret[] {
  const { env = {}, headers = {}, auth } = settings;
  const names = new ImportedSecrets();
  const found = (path: string, key: string, text: string): LiteralSecret[] =>
    text
      .replace(authorizationScheme, '')
      .split(/\$\{[^}]*\}/)
      .filter((value) => value.length >= shortest)
      .map((value) => ({ path: `mcpServers.${server}.${path}`, name: names.nameFor(server, key, value), value }));
  const among = (part: string, texts: Readonly<Record<string, string>>): LiteralSecret[] =>
    Object.entries(texts)
      .filter(([key, text]) => isLikelySecret(key, text) || isRandomLooking(text.replace(authorizationScheme, '')))
      // A header is named for what it carries, which for an authorization is a token.
      .flatMap(([key, text]) => found(`${part}.${key}`, /^authorization$/i.test(key) ? 'TOKEN' : key, text));
  return [
    ...among('env', env),
    ...among('headers', headers),
    ...(auth?.type === 'bearer' ? found('auth.token', 'TOKEN', auth.token) : []),
    ...(auth?.type === 'oauth' ? found('auth.clientSecret', 'CLIENT_SECRET', auth.clientSecret ?? '') : []),
    ...(auth?.type === 'oauth' ? found('auth.privateKey', 'PRIVATE_KEY', auth.privateKey ?? '') : []),
  ];
}
