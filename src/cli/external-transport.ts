import { resolve } from 'node:path';
import type { ExternalEntry } from '../config/configuration.ts';
import { resolveReferences } from '../config/references.ts';
import type { McpTransport } from '../sources/mcp/transport-options.ts';

/** Shorter values would take ordinary words out of the record. */
const shortestSecret = 8;

/** Registers a value that must never be recorded. */
export type AddSecret = (name: string, value: string) => void;

/** How the server of an entry is reached, with every reference resolved now. Throws when one cannot be. */
export function externalTransport(entry: ExternalEntry, directory: string, addSecret: AddSecret): McpTransport {
  const { name, transport, settings } = entry;
  const plain = (text: string, key: string): string =>
    resolveReferences(text, process.env, `mcpServers.${name}.${key}`).text;
  const secret = (text: string, key: string): string => {
    const { text: resolved, used } = resolveReferences(text, process.env, `mcpServers.${name}.${key}`);
    for (const [variable, value] of Object.entries(used))
      if (value.length >= shortestSecret) addSecret(variable, value);
    return resolved;
  };
  const secrets = (texts: Readonly<Record<string, string>>, key: string): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([each, text]) => [each, secret(text, `${key}.${each}`)]));

  if (transport === 'stdio') {
    const { command, args = [], npm, env = {}, cwd = '.' } = settings;
    const given = args.map((each, index) => plain(each, `args[${index}]`));
    return {
      type: 'stdio',
      command: npm === undefined ? plain(command ?? '', 'command') : 'npx',
      args: npm === undefined ? given : ['-y', plain(npm, 'npm'), ...given],
      env: secrets(env, 'env'),
      cwd: resolve(directory, plain(cwd, 'cwd')),
    };
  }
  const authorization = authorizationOf(settings.auth, `mcpServers.${name}.auth`, secret);
  return {
    type: transport,
    url: plain(settings.url ?? '', 'url'),
    headers: { ...secrets(settings.headers ?? {}, 'headers'), ...authorization },
  };
}

function authorizationOf(
  auth: Readonly<Record<string, unknown>> | undefined,
  where: string,
  secret: (text: string, key: string) => string,
): Record<string, string> {
  if (auth === undefined) return {};
  const { type, token } = auth;
  if (type === 'bearer' && typeof token === 'string') return { Authorization: `Bearer ${secret(token, 'auth.token')}` };
  throw new Error(`${where} is not understood by this version, which knows { "type": "bearer", "token": "…" }`);
}
