import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { type Configuration, type ServerEntry, defaultConfiguration } from '../../../config/configuration.ts';
import { ConfigurationTrust } from '../../../config/trust/configuration-trust.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { openBoxForDiagnosis } from '../../../host/box/open-box.ts';
import { printable } from '../../terminal/escape.ts';
import { unmatchedKeys } from '../../../host/daemon/name-warnings.ts';

/** A server that was started for a check. */
export interface TriedServer extends Pick<CatalogSnapshot, 'tools' | 'notices'> {
  /** Whether it lists its tools only after a sign-in. */
  readonly needsSignIn: boolean;
  /** The text of its first pin, by its name. */
  readonly firstSeen: ReadonlyMap<string, string>;
  /** Names in its entry that match none of its tools. */
  readonly unmatched: readonly string[];
}

/** The start timeout, which includes a download by npx. */
const startTimeoutMs = 90_000;
const maxOutputLines = 10;

/**
 * Starts one server of a configuration, lists its tools and stops it, without writing records. Ignores the rest of the configuration,
 * which the user may not have accepted. Rejects with `server-down` when it cannot be used.
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
  const { box } = await openBoxForDiagnosis(alone, { secretsFrom: data, trust, waitMs: startTimeoutMs });
  try {
    const { tools, notices, servers: states } = box.catalog();
    const state = states.find((each) => each.name === name);
    const needsSignIn = state?.needsSignIn === true;
    if (state?.status !== 'up' && !needsSignIn)
      throw startError(alone.servers[0], state?.reason ?? 'it is down', box.servers.health(name)?.stderr ?? []);
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

function startError(entry: ServerEntry | undefined, reason: string, stderr: readonly string[]): CliError {
  const { name = '' } = entry ?? {};
  const isOpen = entry?.kind === 'external' && entry.transport !== 'stdio' && entry.settings.auth === undefined;
  const last = stderr.slice(-maxOutputLines);
  const lines = last.length === 0 ? [] : ['its last output on standard error:', ...last.map((line) => `  ${line}`)];
  const why = reason.replace(`server "${name}" is down: `, '');
  return new CliError(1, 'server-down', `"${name}" was not added: ${why}`, {
    lines: lines.map((line) => printable(line)),
    data: { server: name, stderr: last },
    next: `correct it and run the command again${isOpen ? ' (--oauth if users sign in to it)' : ''}, or add --no-check to save it without starting it`,
  });
}
