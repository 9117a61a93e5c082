import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Lock } from '../../catalog/lock/lock-types.ts';
import { lockOf } from '../../catalog/lock/locked-server.ts';
import { acceptedPin } from '../../catalog/pins/pins.ts';
import type { Source } from '../../catalog/source/source.ts';
import { ConfigurationError } from '../../config/configuration-error.ts';
import type { Configuration, ServerEntry } from '../../config/configuration.ts';
import { parseJsonDocument } from '../../config/file/json-document.ts';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import { type PolicyFileText, policyFileOf, policyFileText } from '../../config/file/policy-file.ts';
import { AcceptedChanges } from '../../config/lock/accepted-changes.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import {
  type AcceptedPart,
  type ServerLockStatus,
  acceptedServer,
  acceptsPin,
  lockStatuses,
  setLockedServer,
  setLockedTool,
} from '../../config/lock/lock-status.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import { authorityFiles, baseDirectories } from '../../config/trust/authority-files.ts';
import type { ConfigurationTrust, ConfigurationWithRules } from '../../config/trust/configuration-trust.ts';
import { UntrustedConfigurationError } from '../../config/trust/untrusted-error.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import type { ProtectedFile } from '../../core/calls/decision.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type {
  ChangedServers,
  ConfigurationRefusal,
  FoundServer,
  ServedConfiguration,
  SignInState,
} from '../../server/routes/servers/served-configuration.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { type SecretProblem, registerSecrets, assertSecretsValid } from '../secrets/box-secrets.ts';
import { BrowserSignIns } from '../servers/browser-sign-ins.ts';
import { ConfiguredServers } from '../servers/configured-servers.ts';
import type { ServerStartContext } from '../servers/external-server.ts';
import type { ServerEdits } from '../servers/server-edits.ts';
import type { StartedServers } from '../servers/started-servers.ts';
import type { ConfiguredAgents } from './configured-agents.ts';
import { ConfiguredPolicies, readRules } from './configured-policies.ts';

/** The result of reading the files again. */
export interface Reload {
  readonly status: 'applied' | 'refused' | 'unchanged';
  /** One line for each change, or for each problem with its location. */
  readonly details: readonly string[];
}

/** The parts of a configured system that are created before its box. */
export interface PreparedConfiguration {
  /** The context in which servers are started. */
  readonly context: ServerStartContext & { readonly vault: SecretVault };
  readonly trust: ConfigurationTrust;
  readonly servers: StartedServers;
  /** The validated rules. */
  readonly policies: readonly PolicyDocument[];
  readonly secretProblems: readonly SecretProblem[];
}

const maxAuthorityAgeMs = 1000;

/** A box that follows its configuration. */
export class ConfiguredBox implements ServedConfiguration {
  /** Called before a changed configuration, which is trusted, is applied. */
  beforeChange: (() => void) | undefined;
  readonly box: InternalSignalbox;
  /** The secrets of the configuration that are missing or invalid. */
  readonly secretProblems: readonly SecretProblem[];
  readonly #trust: ConfigurationTrust;
  readonly #initialPolicies: readonly PolicyDocument[];
  readonly #data: string;
  #authority:
    | { readonly configuration: Configuration; readonly readAtMs: number; readonly files: readonly ProtectedFile[] }
    | undefined;
  readonly #bases = new WeakMap<ServerEntry, readonly string[]>();
  readonly #servers: ConfiguredServers;
  readonly #policies: ConfiguredPolicies;
  readonly #references: ServerStartContext['references'];
  readonly #edits: () => Promise<ServerEdits>;
  readonly #signIns: BrowserSignIns;
  readonly #accepted: AcceptedChanges;
  readonly #stopListening: () => void;
  #agents: ConfiguredAgents | undefined;
  #configuration: Configuration;
  #refusal: ConfigurationRefusal | undefined;
  /** The changed files that could not be applied yet. */
  readonly #unapplied = new Set<string>();
  /** The last change. Each change waits for the previous one. */
  #changing: Promise<unknown> = Promise.resolve();

  /** `data` is the data directory, whichever store is used. */
  constructor(
    box: InternalSignalbox,
    configuration: Configuration,
    { context, trust, servers, policies, secretProblems }: PreparedConfiguration,
    data: string,
  ) {
    this.box = box;
    this.#data = data;
    this.#configuration = configuration;
    this.#trust = trust;
    this.#initialPolicies = policies;
    this.secretProblems = secretProblems;
    this.#servers = new ConfiguredServers(box, context, servers);
    this.#policies = new ConfiguredPolicies(box);
    this.#references = context.references;
    this.#edits = async () => {
      const { ServerEdits: Edits } = await import('../servers/server-edits.ts');
      return new Edits({
        configuration: () => this.#configuration,
        vault: context.vault,
        trust,
        assertTrusted: () => this.#assertFileTrusted(),
        apply: (changed) => this.#apply(changed, this.#locked(changed)),
      });
    };
    this.#signIns = new BrowserSignIns({
      configuration: () => this.#configuration,
      references: context.references,
      signedIn: (server) => box.servers.restart(server),
    });
    box.protectFiles({
      version: () => this.#configuration,
      forbiddenDirectories: () => [data],
      directory: () => this.#configuration.directory,
      files: () => this.protectedFiles(),
      basesOf: (server) => this.#basesOf(server),
    });
    this.#accepted = new AcceptedChanges(box.shared);
    this.#stopListening = this.#accepted.listen(() => void this.#applyAccepted());
  }

  /** Returns the configured agents. The first call mounts the tools that their runtimes run themselves. */
  async agents(): Promise<ConfiguredAgents> {
    if (this.#agents !== undefined) return this.#agents;
    const { ConfiguredAgents: Agents } = await import('./configured-agents.ts');
    return (this.#agents ??= new Agents(this.box, this.#references, () => this.#configuration, this.#data));
  }

  /** Returns the files that no call may write without approval, because they take effect as soon as they are saved. */
  protectedFiles(): readonly ProtectedFile[] {
    const imported = this.#servers.moduleFiles().map((path) => ({ path, role: 'a file of a tool module' }));
    const packages = this.#servers.modulePackages().map((path) => ({ path, role: 'a package of a tool module' }));
    return [...this.#authorityFiles(), ...imported, ...packages];
  }

  get file(): string {
    return this.#configuration.file;
  }

  /** The file that records the accepted parts of the configuration on this machine. May not exist. */
  get trustFile(): string {
    return this.#trust.records.place(this.file);
  }

  /** The authorization servers whose tokens the MCP endpoint accepts. */
  get oauth(): Configuration['oauth'] {
    return this.#configuration.oauth;
  }

  get retention(): Configuration['retention'] {
    return this.#configuration.retention;
  }

  /** Returns the servers that were started, with all of their tools. */
  sources(): Source[] {
    return this.#servers.sources();
  }

  /** Activates the rules and mounts the servers. A server that cannot be mounted is shown as down. */
  async mountServers(): Promise<void> {
    await this.#accepted.load();
    const lock = this.#locked(this.#configuration);
    await this.#policies.set(this.#initialPolicies);
    await this.#servers.apply(this.#configuration, lock, 'show-as-down');
  }

  /** Accepts an edit of the file by a tool call, which policies have already decided. */
  acceptEdit(before: string | null, after: string | null): void {
    const read = (text: string | null): ConfigurationWithRules => {
      const { value } = parseJsonDocument(text ?? '{}');
      return { configuration: { file: this.file, document: isJsonObject(value) ? value : {} }, rules: [] };
    };
    this.#trust.acceptDifference(read(before), read(after));
  }

  /** Resolves when the first start of every external server, or of the given one, has ended. */
  ready(server?: string): Promise<void> {
    return this.#servers.ready(server);
  }

  /** Returns the files of tool modules, including those that they import. */
  moduleFiles(): readonly string[] {
    return this.#servers.moduleFiles();
  }

  /**
   * Reads the files again and applies the changes, including those of tool modules. When a file is invalid, nothing changes, and
   * its changes are applied with the next valid one.
   */
  reload(read: () => Configuration, changed: ReadonlySet<string> = new Set()): Promise<Reload> {
    return this.#enqueue(async () => {
      for (const file of changed) this.#unapplied.add(file);
      try {
        const configuration = read();
        const details = await this.#apply(configuration, this.#locked(configuration), this.#unapplied);
        this.#unapplied.clear();
        const wasRefused = this.#refusal !== undefined;
        this.#refusal = undefined;
        if (details.length === 0 && !wasRefused) return { status: 'unchanged', details };
        return this.#record({ status: 'applied', details });
      } catch (error) {
        const details = detailsOf(error);
        if (details.join('\n') === this.#refusal?.details.join('\n')) return { status: 'unchanged', details };
        this.#refusal = { since: Date.now(), details };
        return this.#record({ status: 'refused', details });
      }
    });
  }

  problem(): ConfigurationRefusal | undefined {
    return this.#refusal;
  }

  enable(server: string): Promise<void> {
    return this.#enqueue(() => this.#servers.enable(server));
  }

  policyFile(): PolicyFileText | undefined {
    return policyFileText(this.#configuration);
  }

  savePolicies(text: string, seen?: string): Promise<void> {
    return this.#enqueue(async () => {
      // Read first: when the lock is invalid, nothing is written.
      const lock = this.#locked(this.#configuration);
      const before = { configuration: this.#configuration, rules: await this.#replacedRules() };
      await this.#trust.assert(before);
      const { writePolicyFile } = await import('../../config/file/write-policy-file.ts');
      const edited = writePolicyFile(this.#configuration, text, seen);
      const configuration = edited?.configuration ?? this.#configuration;
      const { name, path } = policyFileOf(this.#configuration.policies, this.#configuration.directory) ?? {};
      const rules = name === undefined ? [] : [parsePolicyText(text, name, path)];
      this.#trust.acceptDifference(before, { configuration, rules });
      await this.#apply(configuration, lock);
    });
  }

  has(server: string): boolean {
    return this.#configuration.servers.some(({ name }) => name === server);
  }

  addServer(name: string, entry: JsonObject): Promise<ChangedServers> {
    return this.#enqueue(async () => (await this.#edits()).add(name, entry));
  }

  removeServer(name: string): Promise<void> {
    return this.#enqueue(async () => (await this.#edits()).remove(name));
  }

  async importableServers(): Promise<readonly FoundServer[]> {
    return await (await this.#edits()).listImportable();
  }

  importServers(names: readonly string[]): Promise<ChangedServers> {
    return this.#enqueue(async () => (await this.#edits()).importServers(names));
  }

  signIn(server: string): Promise<URL> {
    return this.#signIns.begin(server);
  }

  signInState(server: string): SignInState | undefined {
    return this.#signIns.state(server);
  }

  /** Returns the pins of the servers: their definitions as first seen, or as accepted later. */
  pins(): ReturnType<ConfiguredServers['pins']> {
    return this.#servers.pins();
  }

  lockStatuses(): ServerLockStatus[] {
    return this.#compareWithLock().statuses;
  }

  accept(server: string, { seen, tool }: AcceptedPart = {}): Promise<ServerLockStatus> {
    return this.#enqueue(async () => {
      const { lock, current, statuses } = this.#compareWithLock();
      const status = statuses.find((each) => each.server === server);
      if (status === undefined) throw new SignalboxError('server-unknown', `no server is named "${server}"`);
      if (seen !== undefined && seen !== status.fingerprint)
        throw new SignalboxError(
          'lock-outdated',
          `server "${server}" changed after you reviewed it; review the differences again`,
        );
      const whole = acceptedServer(status, current);
      if (whole !== undefined && acceptsPin(status)) {
        const pin = this.box.pins.get(server) ?? { tools: new Map() };
        await this.box.pins.replace(
          server,
          tool === undefined ? acceptedPin(pin, whole) : setLockedTool(pin, tool, whole),
        );
        return status;
      }
      const locked = lock?.servers.get(server);
      if (tool !== undefined && locked === undefined)
        throw new SignalboxError('lock-outdated', `server "${server}" is not locked, and no tool of it has changed`);
      const present = tool === undefined || locked === undefined ? whole : setLockedTool(locked, tool, whole);
      const accepted = setLockedServer(lock, server, present);
      const { directory } = this.#configuration;
      await this.#accepted.accept(server, readLock(directory), present);
      this.#accepted.writeFile(directory, accepted);
      this.#trust.acceptLock(this.file);
      await this.#servers.apply(this.#configuration, accepted, 'throw');
      return status;
    });
  }

  async close(options: { readonly graceMs?: number } = {}): Promise<void> {
    this.#signIns.close();
    this.#stopListening();
    await this.#changing;
    await this.#agents?.close();
    await this.box.close(options);
    await this.#servers.close();
  }

  #compareWithLock(): { lock: Lock | undefined; current: Lock; statuses: ServerLockStatus[] } {
    const lock = this.#locked(this.#configuration);
    const sources = this.#servers.sources();
    const current = lockOf(sources);
    const statuses = lockStatuses(this.#servers.entries(), sources, lock, current, this.#servers.pins());
    return { lock, current, statuses };
  }

  /** Returns the lock file with the changes that were accepted on other machines. */
  #locked({ directory }: Configuration): Lock | undefined {
    return this.#accepted.over(readLock(directory));
  }

  /** Returns the cached authority files. Every call that may write needs them, and finding them reads directories. */
  #authorityFiles(): readonly ProtectedFile[] {
    const now = performance.now();
    const known = this.#authority;
    if (known?.configuration === this.#configuration && now - known.readAtMs < maxAuthorityAgeMs) return known.files;
    const files = authorityFiles(this.#configuration);
    this.#authority = { configuration: this.#configuration, readAtMs: now, files };
    return files;
  }

  #basesOf(server: string): readonly string[] {
    const { servers, directory } = this.#configuration;
    const entry = servers.find(({ name }) => name === server);
    if (entry === undefined) return [directory];
    let bases = this.#bases.get(entry);
    if (bases === undefined) this.#bases.set(entry, (bases = baseDirectories(entry, directory)));
    return bases;
  }

  /** Applies changes that another machine has accepted. */
  #applyAccepted(): Promise<unknown> {
    return this.#enqueue(async () => {
      await this.#accepted.load();
      // The lock file may have changed meanwhile.
      await this.#assertFileTrusted();
      await this.#servers.apply(this.#configuration, this.#locked(this.#configuration), 'show-as-down');
      // A failure is retried with the next notification, and when the configuration changes.
    }).catch(() => undefined);
  }

  async #apply(
    configuration: Configuration,
    lock: Lock | undefined,
    changed: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    const rules = await readRules(configuration);
    await this.#trust.assert({ configuration, rules });
    this.beforeChange?.();
    assertSecretsValid(registerSecrets(configuration.secrets, (name, value) => this.box.secrets.add(name, value)));
    const servers = await this.#servers.apply(configuration, lock, 'throw', changed);
    const details = [...servers, ...this.#applyProfiles(configuration), ...(await this.#policies.set(rules))];
    if (!isDeepStrictEqual(this.#configuration.agents, configuration.agents)) details.push('changed the agents');
    if (!isDeepStrictEqual(this.#configuration.oauth, configuration.oauth)) details.push('changed the OAuth settings');
    if (!isDeepStrictEqual(this.#configuration.retention, configuration.retention))
      details.push('changed the retention of the journal');
    const [before, after] = [settingsForRestart(this.#configuration), settingsForRestart(configuration)];
    const atRestart = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
    this.#configuration = configuration;
    return atRestart.length === 0 ? details : [...details, `takes effect at the next start: ${atRestart.join(', ')}`];
  }

  /** Rejects with `configuration-untrusted` when the current file was not accepted, because an edit applies the whole file. */
  async #assertFileTrusted(): Promise<void> {
    const { file } = this.#configuration;
    if (!existsSync(file)) return;
    const configuration = loadConfiguration(file);
    await this.#trust.assert({ configuration, rules: await readRules(configuration) });
  }

  /** Returns the rules that a save replaces: those of the files, or the active ones while the files are invalid. */
  async #replacedRules(): Promise<readonly PolicyDocument[]> {
    try {
      return await readRules(this.#configuration);
    } catch (error) {
      if (error instanceof ConfigurationError) return this.#policies.active;
      throw error;
    }
  }

  #applyProfiles({ profiles }: Configuration): string[] {
    if (isDeepStrictEqual(this.#configuration.profiles, profiles)) return [];
    this.box.profiles.set(profiles);
    return ['changed the profiles'];
  }

  #record(reload: Reload & { readonly status: 'applied' | 'refused' }): Reload {
    const { file } = this;
    emitSafely((change) => this.box.recordConfiguration(change), { ...reload, file });
    return reload;
  }

  /** Runs a change after the ones before it. */
  #enqueue<Value>(change: () => Promise<Value>): Promise<Value> {
    const result = this.#changing.then(change);
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

/** Returns the settings that a running box cannot apply, by their keys in the configuration. */
function settingsForRestart(configuration: Configuration): Readonly<Record<string, unknown>> {
  const { store, results, undo, oauth, startup, builtinName } = configuration;
  const { maxBytes, maxMediaBytes } = results;
  return {
    store,
    'results.maxBytes': maxBytes,
    'results.maxMediaBytes': maxMediaBytes,
    undo,
    'oauth.url': oauth?.url,
    startup,
    'builtin.name': builtinName,
  };
}

function detailsOf(error: unknown): string[] {
  if (error instanceof UntrustedConfigurationError) return error.details();
  return error instanceof ConfigurationError ? error.message.split('\n') : [messageOf(error)];
}
