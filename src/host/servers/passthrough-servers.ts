import type { Source } from '../../catalog/source/source.ts';
import type { ExternalEntry } from '../../config/configuration.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { PassthroughServer } from '../../surfaces/claude/passthrough.ts';
import { type ReferenceContext, resolveTransport } from './external-transport.ts';

/** Servers that Claude reaches by itself, and the variables that their settings refer to. */
export interface PassthroughServers {
  readonly servers: Readonly<Record<string, PassthroughServer>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Stands in the catalog for a server that is handed to Claude as it is, so that people see it and what that means. */
export function passthroughSource({ name }: Pick<ExternalEntry, 'name'>): Source {
  const notice =
    'is handed to Claude as it is ("passthrough"): its tools cannot be called here, and nothing decides the calls that Claude makes there';
  const state = { tools: [], notices: [notice] };
  return {
    server: name,
    adapter: `passthrough:${name}`,
    limits: {},
    state: () => state,
    subscribe: () => () => undefined,
    restart: () =>
      Promise.reject(new SignalboxError('server-local', `server "${name}" is started by Claude, anew for every turn`)),
    close: () => Promise.resolve(),
  };
}

/**
 * How Claude reaches the servers of these entries. What came from references is given in variables: the settings themselves stand on
 * the command line, where every user of the machine can read them.
 */
export async function resolvePassthroughServers(
  entries: readonly ExternalEntry[],
  context: ReferenceContext,
): Promise<PassthroughServers> {
  const env: Record<string, string> = {};
  const servers: Record<string, PassthroughServer> = {};
  const hiddenText = (value: string, written: string | undefined): string => {
    if (value === written) return value;
    const variable = `SIGNALBOX_PASSED_${Object.keys(env).length}`;
    env[variable] = value;
    return `\${${variable}}`;
  };
  const hidden = (
    values: Readonly<Record<string, string>> = {},
    written: Readonly<Record<string, string>> = {},
  ): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hiddenText(value, written[key])]));
  // Before those that are written, a package brings its own.
  const hiddenArguments = (values: readonly string[], written: readonly string[]): string[] => {
    const own = values.length - written.length;
    return values.map((value, index) => (index < own ? value : hiddenText(value, written[index - own])));
  };
  for (const entry of entries) {
    const transport = await resolveTransport(entry, context);
    const { trackInvocations, env: givenEnv, headers: givenHeaders, url, args: givenArgs = [] } = entry.settings;
    const track = trackInvocations === undefined ? {} : { trackInvocations };
    servers[entry.name] = {
      ...track,
      config:
        transport.type === 'stdio'
          ? {
              type: 'stdio',
              command: transport.command,
              args: hiddenArguments(transport.args ?? [], givenArgs),
              env: hidden(transport.env, givenEnv),
              alwaysLoad: true,
            }
          : {
              type: transport.type,
              url: hiddenText(transport.url, url),
              headers: hidden(transport.headers, givenHeaders),
              alwaysLoad: true,
            },
    };
  }
  return { servers, env };
}
