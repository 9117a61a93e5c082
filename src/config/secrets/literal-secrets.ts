import type { ExternalEntry } from '../configuration.ts';
import { ImportedSecrets } from '../import/imported-secrets.ts';
import { authorizationScheme, isRandomLooking, isLikelySecret } from './secret-detection.ts';

/** A credential that is written in the configuration itself instead of a reference. */
export interface LiteralSecret {
  /** Its key in the configuration: `mcpServers.web.auth.token`. */
  readonly path: string;
  /** A name under which it could be stored. */
  readonly name: string;
  readonly value: string;
}

/** Redacting shorter values would remove ordinary words from the journal. */
const minLength = 8;

/** Returns the credentials that are written in an entry, so that they can be redacted from the journal. */
export function literalSecrets({ name: server, settings }: Pick<ExternalEntry, 'name' | 'settings'>): LiteralSecret[] {
  const { env = {}, headers = {}, auth } = settings;
  const names = new ImportedSecrets();
  const found = (path: string, key: string, text: string): LiteralSecret[] =>
    text
      .replace(authorizationScheme, '')
      .split(/\$\{[^}]*\}/)
      .filter((value) => value.length >= minLength)
      .map((value) => ({ path: `mcpServers.${server}.${path}`, name: names.nameFor(server, key, value), value }));
  const among = (part: string, texts: Readonly<Record<string, string>>): LiteralSecret[] =>
    Object.entries(texts)
      .filter(([key, text]) => isLikelySecret(key, text) || isRandomLooking(text.replace(authorizationScheme, '')))
      // The secret in an authorization header is named after its token.
      .flatMap(([key, text]) => found(`${part}.${key}`, /^authorization$/i.test(key) ? 'TOKEN' : key, text));
  return [
    ...among('env', env),
    ...among('headers', headers),
    ...(auth?.type === 'bearer' ? found('auth.token', 'TOKEN', auth.token) : []),
    ...(auth?.type === 'oauth' ? found('auth.clientSecret', 'CLIENT_SECRET', auth.clientSecret ?? '') : []),
    ...(auth?.type === 'oauth' ? found('auth.privateKey', 'PRIVATE_KEY', auth.privateKey ?? '') : []),
  ];
}
