import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ExternalEntry } from '../config/configuration.ts';
import { parseJsonDocument } from '../config/json-document.ts';
import type { AuthSettings } from '../config/schema.ts';
import { literalSecrets } from '../config/literal-secrets.ts';
import { type UsedValue, resolveReferences } from '../config/references.ts';
import type { SecretVault } from '../config/secrets/secret-vault.ts';
import { messageOf } from '../model/errors.ts';
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
  /** The configuration file that the entry stands in. */
  readonly file: string;
  readonly vault: SecretVault;
  /** Where sign-ins are kept. */
  readonly tokens: TokenStore;
  /** Registers a value that must never be recorded. */
  addSecret(name: string, value: string): void;
  /** Takes those values out of a text. */
  redact(text: string): string;
}

type Resolve = (text: string, key: string) => Promise<string>;

/** How the server of an entry is reached, with every reference resolved now. Throws when some cannot be, and tells all of them. */
export async function externalTransport(entry: ExternalEntry, context: ReferenceContext): Promise<McpTransport> {
  const problems: string[] = [];
  const transport = await transportOf(entry, context, problems);
  if (transport === undefined || problems.length > 0) throw new Error(problems.join('; '));
  return transport;
}

async function transportOf(
  entry: ExternalEntry,
  context: ReferenceContext,
  problems: string[],
): Promise<McpTransport | undefined> {
  const { name, transport, settings } = entry;
  const { directory, vault, addSecret } = context;
  const sources = { environment: process.env, secret: (each: string) => vault.get(each) };
  const resolver =
    (isSecret: (value: UsedValue) => boolean): Resolve =>
    async (text, key) => {
      const path = `mcpServers.${name}.${key}`;
      try {
        const { text: resolved, used } = await resolveReferences(text, sources, path);
        for (const value of used) if (isSecret(value)) addSecret(value.name, value.value);
        return resolved;
      } catch (error) {
        const at = placeOf(context.file, ['mcpServers', name, ...keysOf(key)]);
        problems.push(`${at}${messageOf(error)}`);
        return '';
      }
    };
  for (const literal of literalSecrets(entry)) addSecret(literal.name, literal.value);
  const plain = resolver(({ source }) => source === 'secret');
  const secret = resolver(({ source, value }) => source === 'secret' || value.length >= shortestSecret);

  if (transport === 'stdio') {
    const { command, args = [], npm, env = {}, cwd = '.' } = settings;
    const given = await Promise.all(args.map((each, index) => plain(each, `args[${index}]`)));
    const program = await plain(command ?? npm ?? '', npm === undefined ? 'command' : 'npm');
    const surroundings = {
      env: await resolvedValues(env, 'env', secret),
      cwd: resolve(directory, await plain(cwd, 'cwd')),
    };
    if (problems.length > 0) return undefined;
    const started = npm === undefined ? { command: program, args: given } : npmProgram(program, given, directory);
    return { type: 'stdio', ...started, ...surroundings };
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

/** `auth.token` and `args[2]` as places; the names of variables and headers may have dots. */
function keysOf(key: string): (string | number)[] {
  const position = /^args\[(\d+)\]$/.exec(key)?.[1];
  if (position !== undefined) return ['args', Number(position)];
  const [first = '', ...rest] = key.split('.');
  return rest.length === 0 ? [first] : [first, rest.join('.')];
}

/** Where something stands in the file as it is now, to begin a message with; nothing when the file is gone. */
function placeOf(file: string, path: readonly (string | number)[]): string {
  try {
    const document = parseJsonDocument(readFileSync(file, 'utf8'));
    return `${basename(file)}:${document.placeOf(document.offsetOf(path)).line}: `;
  } catch {
    return '';
  }
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
