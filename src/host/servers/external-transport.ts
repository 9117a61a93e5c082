import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ExternalEntry } from '../../config/configuration.ts';
import type { AuthSettings } from '../../config/schema/configuration-schema.ts';
import { installedProgram } from '../../config/trust/installed-package.ts';
import { literalSecrets } from '../../config/secrets/literal-secrets.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { messageOf } from '../../core/errors.ts';
import type { OAuthOptions, TokenStore } from '../../sources/mcp/http/oauth/oauth-options.ts';
import type { McpTransport } from '../../sources/mcp/connection/mcp-transport.ts';
import { startedByVariable } from '../environment.ts';
import { EntryReferences, type ReferenceSource, minVariableSecretLength } from '../secrets/entry-references.ts';

/** Resolves the references of server entries. */
export interface ReferenceContext extends ReferenceSource {
  /** The base of relative paths. */
  readonly directory: string;
  /** Stores OAuth tokens. */
  readonly tokens: TokenStore;
  /** Removes secret values from a text. */
  redact(text: string): string;
}

/** Returns the transport of an entry with its references resolved. Rejects with all references that cannot be resolved. */
export async function resolveTransport(entry: ExternalEntry, context: ReferenceContext): Promise<McpTransport> {
  const { name, transport, settings } = entry;
  const { directory, addSecret } = context;
  const references = new EntryReferences(['mcpServers', name], context);
  for (const literal of literalSecrets(entry)) addSecret(literal.name, literal.value);

  if (transport === 'stdio') {
    const { command, args = [], npm, env = {}, cwd = '.' } = settings;
    const programArgs = await Promise.all(args.map((each, index) => references.resolvePlain(each, 'args', index)));
    const program = await references.resolvePlain(command ?? npm ?? '', npm === undefined ? 'command' : 'npm');
    const process = {
      env: { ...startedByVariable(directory), ...(await references.resolveSecrets(env, 'env')) },
      cwd: resolve(directory, await references.resolvePlain(cwd, 'cwd')),
    };
    references.assertResolved();
    const started =
      npm === undefined ? { command: program, args: programArgs } : npmProgram(program, programArgs, directory, npm);
    return { type: 'stdio', ...started, ...process };
  }
  const { auth } = settings;
  const headers = await references.resolveSecrets(settings.headers ?? {}, 'headers');
  const resolved: McpTransport = {
    type: transport,
    url: await references.resolvePlain(settings.url ?? '', 'url'),
    headers:
      auth?.type === 'bearer'
        ? { ...headers, Authorization: `Bearer ${await references.resolveSecret(auth.token, 'auth', 'token')}` }
        : headers,
    ...(auth?.type === 'oauth' ? { oauth: await resolveOAuth(auth, name, context, references) } : {}),
  };
  references.assertResolved();
  return resolved;
}

/**
 * Returns the command that runs an npm package. If the project has exactly this version installed, Node runs it directly, which is
 * faster and needs no network. If not, npx downloads it.
 */
export function npmProgram(
  spec: string,
  args: readonly string[],
  directory: string,
  written = spec,
): { readonly command: string; readonly args: readonly string[] } {
  // Trust compares the written text, so a package that comes from a reference is not searched for in the project.
  const file = spec === written ? installedProgram(spec, directory) : undefined;
  if (file !== undefined) return { command: process.execPath, args: [file, ...args] };
  return { command: 'npx', args: ['-y', spec, ...args] };
}

async function resolveOAuth(
  { type: _, assertionFile, ...settings }: AuthSettings & { readonly type: 'oauth' },
  server: string,
  { directory, tokens, addSecret }: ReferenceContext,
  references: EntryReferences,
): Promise<OAuthOptions> {
  const { clientId, clientSecret, privateKey } = settings;
  const assertion = async (): Promise<string> => {
    const token = await readAssertion(resolve(directory, assertionFile ?? ''));
    addSecret(`${server}.assertion`, token);
    return token;
  };
  return {
    ...settings,
    ...(await references.resolveSecrets(omitUndefined({ clientId, clientSecret, privateKey }), 'auth')),
    ...(assertionFile === undefined ? {} : { assertion }),
    tokens,
    account: server,
    howToSignIn: `signalbox login ${server}`,
    onSecret(name, value) {
      // These values come from the authorization server, which the MCP server chooses. A configured client secret is registered already.
      if (value.length >= minVariableSecretLength) addSecret(name, value, { isForeign: true });
    },
  };
}

async function readAssertion(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
    throw new Error(`"assertionFile" ${file} cannot be read (${why}); correct "auth" of this server`, { cause: error });
  }
}
