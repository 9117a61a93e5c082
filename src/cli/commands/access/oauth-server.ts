import { openVault } from '../../../host/secrets/open-vault.ts';
import type { ProtectedServer } from '../../../sources/mcp/http/oauth/oauth-options.ts';
import { targetConfiguration, unknownServer } from '../configuration/target-configuration.ts';
import { resolveTransport } from '../../../host/servers/external-transport.ts';
import { usageError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { oauthTokenStore } from '../../../host/secrets/oauth-token-store.ts';
import { readConfiguration } from '../../../host/read-configuration.ts';
import { assertTrusted } from '../../../host/open-trust.ts';

/** Returns the OAuth settings of a configured server, with references resolved. */
export async function resolveOAuthServer(name: string, globals: GlobalOptions): Promise<ProtectedServer> {
  const { configuration } = readConfiguration(globals);
  const entry = configuration.servers.find((each) => each.name === name);
  if (entry === undefined) throw unknownServer(name, targetConfiguration(globals));
  await assertTrusted(configuration, globals.data);
  const transport =
    entry.kind === 'local'
      ? undefined
      : await resolveTransport(entry, {
          directory: configuration.directory,
          file: configuration.file,
          vault: openVault(globals.data),
          tokens: oauthTokenStore(globals.data, configuration.file),
          // This command writes no records, so nothing has to be redacted.
          addSecret: () => undefined,
          redact: (text) => text,
        });
  if (transport === undefined || transport.type === 'stdio' || transport.oauth === undefined)
    throw usageError(
      `server "${name}" does not use OAuth`,
      `add "auth": { "type": "oauth" } to mcpServers.${name}, if it has a "url"`,
    );
  return { type: transport.type, url: transport.url, oauth: transport.oauth };
}
