import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { type Configuration, type ServerEntry, defaultConfiguration } from '../../../config/configuration.ts';
import { ConfigurationTrust } from '../../../config/trust/configuration-trust.ts';
import { Failure } from '../../failure.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { openBoxForDiagnosis } from '../../../host/box/open-box.ts';
import { printable } from '../../terminal/escape.ts';
import { unmatchedKeys } from '../../../host/daemon/name-warnings.ts';

/** A server that was started once. */
export interface TriedServer extends Pick<CatalogSnapshot, 'tools' | 'notices'> {
  /** Whether it has to be signed in to before its tools are known. */
  readonly needsSignIn: boolean;
  /** The text of its first pin, by its name. */
  readonly firstSeen: ReadonlyMap<string, string>;
  /** Names in its entry that none of its tools has. */
  readonly unmatched: readonly string[];
}

/** A program that npx downloads first, and that then has all the time to answer that it has later. */
const waitMs = 90_000;
const maxLines = 10;

/**
 * Starts one server of a configuration, lists its tools and ends it, writing nothing. The rest of the configuration is not used:
 * its user has asked for this server, and may not have accepted the others. Rejects with `server-down` when it cannot be used.
 */
export async function tryServer(
  name: string,
  configuration: Configuration,
  { data }: GlobalOptions,
): Promise<TriedServer> {
  const { directory, file, servers } = configuration;
  const alone: Configuration = {
    ...defaultConfiguration(directory),
    file,
    servers: servers.filter((entry) => entry.name === name),
  };
  const trust = new ConfigurationTrust({ data, trusted: 'all' });
  const { box } = await openBoxForDiagnosis(alone, { secretsFrom: data, trust, waitMs });
  try {
    const { tools, notices, servers: states } = box.catalog();
    const state = states.find((each) => each.name === name);
    const needsSignIn = state?.needsSignIn === true;
    if (state?.status !== 'up' && !needsSignIn)
      throw unusable(alone.servers[0], state?.reason ?? 'it is down', box.servers.health(name)?.stderr ?? []);
    return {
      tools: tools.filter(({ id }) => id.server === name),
      notices: notices.filter(({ server }) => server === name),
      needsSignIn,
      firstSeen: box.pins.firstSeen(),
      unmatched: unmatchedKeys(box),
    };
  } finally {
    await box.close();
  }
}

function unusable(entry: ServerEntry | undefined, reason: string, stderr: readonly string[]): Failure {
  const { name = '' } = entry ?? {};
  const isOpen = entry?.kind === 'external' && entry.transport !== 'stdio' && entry.settings.auth === undefined;
  const last = stderr.slice(-maxLines);
  const lines =
    last.length === 0 ? [] : ['the last that it wrote to standard error:', ...last.map((line) => `  ${line}`)];
  const why = reason.replace(`server "${name}" is down: `, '');
  return new Failure(1, 'server-down', `"${name}" was not added: ${why}`, {
    lines: lines.map((line) => printable(line)),
    data: { server: name, stderr: last },
    next: `correct it and run the command again${isOpen ? ' (--oauth if people sign in to it)' : ''}, or add --no-check to save it without starting it`,
  });
}
