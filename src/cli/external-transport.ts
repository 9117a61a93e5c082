import { resolve } from 'node:path';
import type { ExternalEntry } from '../config/configuration.ts';
import type { AuthSettings } from '../config/schema.ts';
import { literalSecrets } from '../config/literal-secrets.ts';
import { type UsedValue, resolveReferences } from '../config/references.ts';
import type { SecretVault } from '../config/secrets/secret-vault.ts';
import type { OAuthOptions } from '../sources/mcp/http/oauth/oauth-options.ts';
import type { TokenStore } from '../sources/mcp/http/oauth/token-store.ts';
import { npmProgram } from './npm-program.ts';
import type { McpTransport } from '../sources/mcp/transport-options.ts';

/** Shorter values of variables would take ordinary words out of the record. */
const shortestSecret = 8;

/** What the references of an entry are resolved with. */
export interface ReferenceContext {
  /** Where paths of the entry start from. */
  readonly directory: string;
  readonly vault: SecretVault;
  /** Where sign-ins are kept. */
  readonly tokens: TokenStore;
  /** Registers a value that must never be recorded. */
  addSecret(name: string, value: string): void;
  /** Takes those values out of a text. */
  redact(text: string): string;
}

type Resolve = (text: string, key: string) => Promise<string>;

/** How the server of an entry is reached, with every reference resolved now. Throws when one cannot be. */
export async function externalTransport(entry: ExternalEntry, context: ReferenceContext): Promise<McpTransport> {
  const { name, transport, settings } = entry;
  const { directory, vault, addSecret } = context;
  const sources = { environment: process.env, secret: (each: string) => vault.get(each) };
  const resolver =
    (isSecret: (value: UsedValue) => boolean): Resolve =>
    async (text, key) => {
      const { text: resolved, used } = await resolveReferences(text, sources, `mcpServers.${name}.${key}`);
      for (const value of used) if (isSecret(value)) addSecret(value.name, value.value);
      return resolved;
    };
  for (const literal of literalSecrets(entry)) addSecret(literal.name, literal.value);
  const plain = resolver(({ source }) => source === 'secret');
  const secret = resolver(({ source, value }) => source === 'secret' || value.length >= shortestSecret);

  if (transport === 'stdio') {
    const { command, args = [], npm, env = {}, cwd = '.' } = settings;
    const given = await Promise.all(args.map((each, index) => plain(each, `args[${index}]`)));
    const program =
      npm === undefined
        ? { command: await plain(command ?? '', 'command'), args: given }
        : npmProgram(await plain(npm, 'npm'), given, directory);
    return {
      type: 'stdio',
      ...program,
      env: await resolvedValues(env, 'env', secret),
      cwd: resolve(directory, await plain(cwd, 'cwd')),
    };
  }
  const { auth } = settings;
  const headers = await resolvedValues(settings.headers ?? {}, 'headers', secret);
  return {
    type: transport,
    url: await plain(settings.url ?? '', 'url'),
    headers:
      auth?.type === 'bearer'
        ? { ...headers, Authorization: `Bearer ${await secret(auth.token, 'auth.token')}` }
        : headers,
    ...(auth?.type === 'oauth' ? { oauth: await oauthOf(auth, name, context, secret) } : {}),
  };
}

async function resolvedValues(
  texts: Readonly<Record<string, string>>,
  key: string,
  resolved: Resolve,
): Promise<Record<string, string>> {
  const entries = Object.entries(texts).map(async ([each, text]) => [each, await resolved(text, `${key}.${each}`)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
}

async function oauthOf(
  { type: _, ...settings }: AuthSettings & { readonly type: 'oauth' },
  server: string,
  { tokens, addSecret }: ReferenceContext,
  resolved: Resolve,
): Promise<OAuthOptions> {
  const { clientId, clientSecret } = settings;
  return {
    ...settings,
    ...(clientId === undefined ? {} : { clientId: await resolved(clientId, 'auth.clientId') }),
    ...(clientSecret === undefined ? {} : { clientSecret: await resolved(clientSecret, 'auth.clientSecret') }),
    tokens,
    account: server,
    howToSignIn: `signalbox login ${server}`,
    onSecret(name, value) {
      if (value.length >= shortestSecret) addSecret(name, value);
    },
  };
}
