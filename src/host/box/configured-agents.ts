import { isDeepStrictEqual } from 'node:util';
import type { Configuration, ExternalEntry } from '../../config/configuration.ts';
import type { AgentEntry, runtimeServers } from '../../config/entries/agent-entry.ts';
import type { ClaudeRuntimeSettings, ModelRuntimeSettings } from '../../config/schema/agent-schema.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import type { ObservedCall } from '../../pipeline/recording/call-entries.ts';
import type { ClaudeCodeOptions } from '../../runtimes/claude/shared/claude-options.ts';
import { lazyRuntime } from '../../runtimes/lazy-runtime.ts';
import { modelRuntime } from '../../runtimes/model/model-runtime.ts';
import type { ModelRuntimeOptions } from '../../runtimes/model/model-turn.ts';
import { type RuntimeTools, runtimeTools } from '../../runtimes/runtime-tools.ts';
import type { Runtime, Turn } from '../../runtimes/runtime.ts';
import type { Agent, Agents } from '../../sessions/agent.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { EntryReferences } from '../secrets/entry-references.ts';
import type { ReferenceContext } from '../servers/external-transport.ts';
import { resolvePassthroughServers } from '../servers/passthrough-servers.ts';

interface Made {
  readonly entry: AgentEntry;
  readonly agent: Agent;
}

/** The agents of a configuration. When it changes, agents with changed entries are created again; their running turns continue. */
export class ConfiguredAgents implements Agents {
  readonly #box: InternalSignalbox;
  readonly #references: ReferenceContext;
  readonly #configuration: () => Configuration;
  readonly #data: string;
  /** The tools that runtimes run themselves, by the name of their server. Both runtimes for Claude Code have the same tools. */
  readonly #toolsByServer = new Map<string, RuntimeTools>();
  readonly #runtimes: Runtime[] = [];
  #made: readonly Made[] = [];
  #from: Configuration | undefined;

  constructor(box: InternalSignalbox, references: ReferenceContext, configuration: () => Configuration, data: string) {
    this.#box = box;
    this.#references = references;
    this.#configuration = configuration;
    this.#data = data;
  }

  get defaultName(): string {
    return this.#configuration().agents.defaultName;
  }

  list(): readonly Agent[] {
    const configuration = this.#configuration();
    if (configuration !== this.#from) {
      this.#from = configuration;
      this.#made = configuration.agents.entries.map(
        (entry) => this.#unchanged(entry) ?? this.#make(entry, configuration),
      );
    }
    return this.#made.map(({ agent }) => agent);
  }

  /** Closes the runtimes, including those of removed agents. */
  async close(): Promise<void> {
    await Promise.all(this.#runtimes.map((runtime) => runtime.close()));
  }

  #unchanged(entry: AgentEntry): Made | undefined {
    return this.#made.find((made) => isDeepStrictEqual(made.entry, entry));
  }

  #make(entry: AgentEntry, { builtinName }: Configuration): Made {
    const { name, model, profile, cwd, permissionMode, instructions } = entry;
    const runtime = this.#runtime(entry);
    this.#runtimes.push(runtime);
    const agent: Agent = {
      name,
      runtime,
      runtimeTools: this.#ownTools(entry.runtime === 'model' ? 'model' : 'claude'),
      instructions: [hint(builtinName), instructions].filter((part) => part !== undefined).join('\n\n'),
      ...omitUndefined({ model, profile, cwd, permissionMode }),
    };
    return { entry, agent };
  }

  #ownTools(server: keyof typeof runtimeServers): RuntimeTools {
    const known = this.#toolsByServer.get(server);
    if (known !== undefined) return known;
    const own = runtimeTools(server);
    this.#box.servers.add(own);
    this.#toolsByServer.set(server, own);
    return own;
  }

  #runtime(entry: AgentEntry): Runtime {
    switch (entry.runtime) {
      case 'model':
        return modelRuntime(() => this.#modelOptions(entry));
      case 'claude':
        return lazyRuntime(entry.runtime, async () => {
          const { claudeRuntime } = await import('../../runtimes/claude/sdk/claude-runtime.ts');
          return claudeRuntime((turn) => this.#claudeOptions(entry, turn));
        });
      case 'claude-cli':
        return lazyRuntime(entry.runtime, async () => {
          const { claudeCliRuntime } = await import('../../runtimes/claude/cli/claude-cli-runtime.ts');
          return claudeCliRuntime((turn) => this.#claudeOptions(entry, turn));
        });
    }
  }

  async #modelOptions(entry: ModelRuntimeSettings & { readonly name: string }): Promise<ModelRuntimeOptions> {
    const { limits: { time, ...limits } = {} } = entry;
    const timeMs = time === undefined ? undefined : parseDurationMs(time);
    return {
      model: entry.model,
      providers: await resolvedProviders(entry, this.#references),
      limits: { ...limits, ...omitUndefined({ timeMs }) },
    };
  }

  async #claudeOptions(
    entry: ClaudeRuntimeSettings & { readonly name: string },
    turn: Pick<Turn, 'session'> | undefined,
  ): Promise<ClaudeCodeOptions> {
    const references = new EntryReferences(['agents', entry.name], this.#references);
    const env = await references.resolveSecrets(entry.env ?? {}, 'env');
    references.assertResolved();
    const { model, executable, settingSources, toolSearch, limits } = entry;
    const settings = omitUndefined({ model, executable, settingSources, toolSearch, limits });
    const options: ClaudeCodeOptions = { env, data: this.#data, ...settings };
    const passed = turn === undefined ? [] : this.#passedEntries(entry.profile);
    if (turn === undefined || passed.length === 0) return options;
    const { claudePassthrough } = await import('../../surfaces/claude/passthrough.ts');
    const { servers, env: variables } = await resolvePassthroughServers(passed, this.#references);
    const owner = (await this.#box.sessionStore.find(turn.session))?.owner;
    // The same principal as for the other calls of the session.
    const principal = { id: owner === undefined ? entry.name : `${owner.id}/${entry.name}`, kind: 'agent' as const };
    const record = (call: ObservedCall): Promise<void> =>
      this.#box.journal.record({ ...call, session: turn.session, principal });
    const passthrough = claudePassthrough({ journal: { record } }, servers);
    return { ...options, env: { ...env, ...variables }, passthrough };
  }

  /** Returns the servers that Claude connects to directly, except those that were removed since or are not in the agent's profile. */
  #passedEntries(profile: string | undefined): ExternalEntry[] {
    const { profiles } = this.#configuration();
    const { servers, tools } = profile === undefined ? {} : (profiles[profile] ?? { servers: [] });
    // Calls there are not filtered, so a server with only some tools in a profile is passed on only when the profile names it.
    const isSeen = (name: string): boolean => servers?.includes(name) ?? tools === undefined;
    const up = new Set(this.#box.catalog().servers.flatMap(({ name, status }) => (status === 'up' ? [name] : [])));
    return this.#configuration().servers.filter(
      (entry): entry is ExternalEntry =>
        entry.kind === 'external' && entry.settings.passthrough === true && up.has(entry.name) && isSeen(entry.name),
    );
  }
}

/** Returns the settings of an agent's providers with all references resolved. Throws when a reference cannot be resolved. */
export async function resolvedProviders(
  { name, providers = {} }: ModelRuntimeSettings & { readonly name: string },
  context: ConstructorParameters<typeof EntryReferences>[1],
): Promise<NonNullable<ModelRuntimeOptions['providers']>> {
  const references = new EntryReferences(['agents', name], context);
  const entries = Object.entries(providers).map(async ([provider, { apiKey, baseURL, headers, ...rest }]) => {
    const at = ['providers', provider];
    return [
      provider,
      {
        ...rest,
        ...(apiKey === undefined ? {} : { apiKey: await references.resolveSecret(apiKey, ...at, 'apiKey') }),
        ...(baseURL === undefined ? {} : { baseURL: await references.resolvePlain(baseURL, ...at, 'baseURL') }),
        ...(headers === undefined ? {} : { headers: await references.resolveSecrets(headers, ...at, 'headers') }),
      },
    ] as const;
  });
  const resolved = Object.fromEntries(await Promise.all(entries));
  references.assertResolved();
  return resolved;
}

/** Returns the hint about the environment that every agent receives. */
function hint(builtin: string): string {
  return (
    'You work inside Signalbox, and every tool call goes through it. A rule may deny a call, or the call may wait until a person ' +
    'approves it. A denial states the reason: do not try to get the same result in another way. ' +
    `The tools that begin with mcp__${builtin}__ describe the application that you run in.`
  );
}
