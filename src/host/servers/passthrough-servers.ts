import type { Source } from '../../catalog/source/source.ts';
import type { ExternalEntry } from '../../config/configuration.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { PassthroughServer } from '../../surfaces/claude/passthrough.ts';
import { type ReferenceContext, resolveTransport } from './external-transport.ts';

/** The servers that Claude connects to directly, with the variables that their settings refer to. */
export interface PassthroughServers {
  readonly servers: Readonly<Record<string, PassthroughServer>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Creates the source of a passthrough server, so that the catalog shows it with a notice. It has no tools. */
export function passthroughSource({ name }: Pick<ExternalEntry, 'name'>): Source {
  const notice =
    'is passed to Claude directly ("passthrough"): its tools cannot be called here, and no policy applies to the calls that Claude makes there';
  const state = { tools: [], notices: [notice] };
  return {
    server: name,
    adapter: `passthrough:${name}`,
    limits: {},
    state: () => state,
    subscribe: () => () => undefined,
    restart: () =>
      Promise.reject(new SignalboxError('server-local', `server "${name}" is started by Claude for every turn`)),
    close: () => Promise.resolve(),
  };
}

/**
 * Resolves passthrough servers for Claude. Values of references are passed in variables, because the settings are on Claude's command
 * line, which every user of the machine can read.
 */
export async function resolvePassthroughServers(
  entries: readonly ExternalEntry[],
  context: ReferenceContext,
): Promise<PassthroughServers> {
  const env: Record<string, string> = {};
  const servers: Record<string, PassthroughServer> = {};
  const inVariable = (value: string, written: string | undefined): string => {
    if (value === written) return value;
    const variable = `SIGNALBOX_PASSED_${Object.keys(env).length}`;
    env[variable] = value;
    return `\${${variable}}`;
  };
  const allInVariables = (
    values: Readonly<Record<string, string>> = {},
    written: Readonly<Record<string, string>> = {},
  ): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, inVariable(value, written[key])]));
  // For an npm package, its own arguments precede those of the entry.
  const argumentsInVariables = (values: readonly string[], written: readonly string[]): string[] => {
    const own = values.length - written.length;
    return values.map((value, index) => (index < own ? value : inVariable(value, written[index - own])));
  };
  for (const entry of entries) {
    const transport = await resolveTransport(entry, context);
    const { trackInvocations, env: envSettings, headers: headerSettings, url, args: argSettings = [] } = entry.settings;
    servers[entry.name] = {
      ...omitUndefined({ trackInvocations }),
      config:
        transport.type === 'stdio'
          ? {
              type: 'stdio',
              command: transport.command,
              args: argumentsInVariables(transport.args ?? [], argSettings),
              env: allInVariables(transport.env, envSettings),
              alwaysLoad: true,
            }
          : {
              type: transport.type,
              url: inVariable(transport.url, url),
              headers: allInVariables(transport.headers, headerSettings),
              alwaysLoad: true,
            },
    };
  }
  return { servers, env };
}
