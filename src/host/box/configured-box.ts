import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { lockOf } from '../../catalog/lock/lock-of.ts';
import type { Lock } from '../../catalog/lock/lock.ts';
import { acceptedPin } from '../../catalog/pins/pins.ts';
import type { Source } from '../../catalog/source.ts';
import { ConfigurationError } from '../../config/configuration-error.ts';
import { authorityFiles, baseDirectories } from '../../config/trust/authority-files.ts';
import type { Configuration, ServerEntry } from '../../config/configuration.ts';
import {
  type AcceptedPart,
  type ServerLockStatus,
  acceptedServer,
  acceptsPin,
  lockStatuses,
  setLockedServer,
  setLockedTool,
} from '../../config/lock/lock-status.ts';
import { AcceptedChanges } from '../../config/lock/accepted-changes.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import { parseJsonDocument } from '../../config/file/json-document.ts';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import type { ConfigurationTrust, ReadRules } from '../../config/trust/configuration-trust.ts';
import { UntrustedConfigurationError } from '../../config/trust/untrusted-error.ts';
import { type PolicyFileText, policyFileOf, policyFileText } from '../../config/file/policy-file.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import type { ProtectedFile } from '../../core/calls/decision.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import { policyText } from '../../policy/rules/parse-policy-text.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type {
  ChangedServers,
  ConfigurationRefusal,
  FoundServer,
  ServedConfiguration,
  SignInState,
} from '../../server/served-configuration.ts';
import type { Signalbox } from '../../signalbox.ts';
import type { StartedServers } from '../servers/started-servers.ts';
import { BrowserSignIns } from '../servers/browser-sign-ins.ts';
import type { ConfiguredAgents } from './configured-agents.ts';
import { ConfiguredPolicies, readRules } from './configured-policies.ts';
import { ConfiguredServers } from '../servers/configured-servers.ts';
import type { ServerStartContext } from '../servers/external-server.ts';
import type { ServerEdits } from '../servers/server-edits.ts';
import { type SecretProblem, registerSecrets, assertSecretsValid } from '../secrets/configured-secrets.ts';

/** What came of looking at the files again. */
export interface Reload {
  readonly status: 'applied' | 'refused' | 'unchanged';
  /** What was done, or what is wrong and where; one each. */
  readonly details: readonly string[];
}

/** What a configuration asks for, as far as it is done before there is a box. */
export interface PreparedConfiguration {
  /** How servers are started, then and later. */
  readonly starting: ServerStartContext & { readonly vault: SecretVault };
  readonly trust: ConfigurationTrust;
  readonly servers: StartedServers;
  /** The rules, which are good. */
  readonly policies: readonly PolicyDocument[];
  readonly secretProblems: readonly SecretProblem[];
}

/** A box that is as a configuration describes it, and becomes as a changed one describes it. */
export class ConfiguredBox implements ServedConfiguration {
  /** Called before a changed configuration, which is trusted, is applied. */
  beforeChange: (() => void) | undefined;
  readonly box: Signalbox;
  /** What is wrong with the secrets of the configuration. */
  readonly secretProblems: readonly SecretProblem[];
  readonly #begun: PreparedConfiguration;
  readonly #data: string;
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
  /** Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  /** `data` is the data directory, whatever store the records are in. */
  constructor(box: Signalbox, configuration: Configuration, begun: PreparedConfiguration, data: string) {
    const { starting } = begun;
    this.box = box;
    this.#data = data;
    this.#configuration = configuration;
    this.#begun = begun;
    this.secretProblems = begun.secretProblems;
    this.#servers = new ConfiguredServers(box, starting, begun.servers);
    this.#policies = new ConfiguredPolicies(box);
    this.#references = starting.references;
    this.#edits = async () => {
      const { ServerEdits: Made } = await import('../servers/server-edits.ts');
      return new Made({
        configuration: () => this.#configuration,
        vault: starting.vault,
        trust: begun.trust,
        assertTrusted: () => this.#assertFileTrusted(),
        apply: (changed) => this.#apply(changed, this.#locked(changed)),
      });
    };
    this.#signIns = new BrowserSignIns({
      configuration: () => this.#configuration,
      references: starting.references,
      signedIn: (server) => box.restart(server),
    });
    box.protectFiles({
      version: () => this.#configuration,
      closed: () => [data],
      directory: () => this.#configuration.directory,
      files: () => this.protectedFiles(),
      basesOf: (server) => this.#basesOf(server),
    });
    this.#accepted = new AcceptedChanges(box.shared);
    this.#stopListening = this.#accepted.listen(() => void this.#takeAccepted());
  }

  /** The agents that it names; the first time, what they run themselves is mounted. */
  async agents(): Promise<ConfiguredAgents> {
    if (this.#agents !== undefined) return this.#agents;
    const { ConfiguredAgents: Made } = await import('./configured-agents.ts');
    return (this.#agents ??= new Made(this.box, this.#references, () => this.#configuration, this.#data));
  }

  /** The files that no call writes unasked: they take effect as soon as they are saved. */
  protectedFiles(): readonly ProtectedFile[] {
    const imported = this.#servers.moduleFiles().map((path) => ({ path, role: 'a file of a tool module' }));
    return [...authorityFiles(this.#configuration), ...imported];
  }

  get file(): string {
    return this.#configuration.file;
  }

  /** The file that says what of the configuration is accepted on this machine, whether or not it exists. */
  get trustFile(): string {
    return this.#begun.trust.records.place(this.file);
  }

  /** Whose tokens the MCP endpoint takes besides its own. */
  get oauth(): Configuration['oauth'] {
    return this.#configuration.oauth;
  }

  /** How long entries of the journal are kept. */
  get retention(): Configuration['retention'] {
    return this.#configuration.retention;
  }

  /** The started servers as they are, before lock and configuration change what they offer. */
  sources(): Source[] {
    return this.#servers.sources();
  }

  /** Puts the rules into force and mounts the servers. What cannot be mounted is shown as down. */
  async mountServers(): Promise<void> {
    await this.#accepted.load();
    const lock = this.#locked(this.#configuration);
    await this.#policies.put(this.#begun.policies);
    await this.#servers.change(this.#configuration, lock, 'shown');
  }

  /** Accepts what a call changed in the file: the call was decided as every other one. */
  acceptEdit(before: string | null, after: string | null): void {
    const read = (text: string | null): ReadRules => {
      const { value } = parseJsonDocument((text ?? '{}').replace(/^\ufeff/, ''));
      return { configuration: { file: this.file, document: isJsonObject(value) ? value : {} }, rules: [] };
    };
    this.#begun.trust.acceptDifference(read(before), read(after));
  }

  /** Resolves when every server outside, or the one of this name, has been tried once. */
  ready(server?: string): Promise<void> {
    return this.#servers.ready(server);
  }

  /** The files of tool modules, including those that they import. */
  moduleFiles(): readonly string[] {
    return this.#servers.moduleFiles();
  }

  /**
   * Reads the files again and applies the changes, including those of tool modules. An invalid file changes nothing, and its
   * changes are tried again with the next change.
   */
  reload(read: () => Configuration, changed: ReadonlySet<string> = new Set()): Promise<Reload> {
    return this.#inTurn(async () => {
      for (const file of changed) this.#unapplied.add(file);
      try {
        const configuration = read();
        const details = await this.#apply(configuration, this.#locked(configuration), this.#unapplied);
        this.#unapplied.clear();
        const wasRefused = this.#refusal !== undefined;
        this.#refusal = undefined;
        if (details.length === 0 && !wasRefused) return { status: 'unchanged', details };
        return this.#told({ status: 'applied', details });
      } catch (error) {
        const details = detailsOf(error);
        if (details.join('\n') === this.#refusal?.details.join('\n')) return { status: 'unchanged', details };
        this.#refusal = { since: Date.now(), details };
        return this.#told({ status: 'refused', details });
      }
    });
  }

  problem(): ConfigurationRefusal | undefined {
    return this.#refusal;
  }

  enable(server: string): Promise<void> {
    return this.#inTurn(() => this.#servers.enable(server));
  }

  policyFile(): PolicyFileText | undefined {
    return policyFileText(this.#configuration);
  }

  savePolicies(text: string, seen?: string): Promise<void> {
    return this.#inTurn(async () => {
      // May fail, and then nothing is written.
      const lock = this.#locked(this.#configuration);
      const before = { configuration: this.#configuration, rules: await this.#replacedRules() };
      await this.#begun.trust.assert(before);
      const { writePolicyFile } = await import('../../config/file/write-policy-file.ts');
      const edited = writePolicyFile(this.#configuration, text, seen);
      const configuration = edited?.configuration ?? this.#configuration;
      const { name, path } = policyFileOf(this.#configuration.policies, this.#configuration.directory) ?? {};
      const rules = name === undefined ? [] : [policyText(text, name, path)];
      this.#begun.trust.acceptDifference(before, { configuration, rules });
      await this.#apply(configuration, lock);
    });
  }

  has(server: string): boolean {
    return this.#configuration.servers.some(({ name }) => name === server);
  }

  addServer(name: string, entry: JsonObject): Promise<ChangedServers> {
    return this.#inTurn(async () => (await this.#edits()).add(name, entry));
  }

  removeServer(name: string): Promise<void> {
    return this.#inTurn(async () => (await this.#edits()).remove(name));
  }

  async foundServers(): Promise<readonly FoundServer[]> {
    return await (await this.#edits()).found();
  }

  takeOver(names: readonly string[]): Promise<ChangedServers> {
    return this.#inTurn(async () => (await this.#edits()).takeOver(names));
  }

  signIn(server: string): Promise<URL> {
    return this.#signIns.begin(server);
  }

  signInState(server: string): SignInState | undefined {
    return this.#signIns.state(server);
  }

  /** The pins of the servers: what they said when they were first seen, or accepted. */
  pins(): ReturnType<ConfiguredServers['pins']> {
    return this.#servers.pins();
  }

  lockStatuses(): ServerLockStatus[] {
    return this.#look().standings;
  }

  accept(server: string, { seen, tool }: AcceptedPart = {}): Promise<ServerLockStatus> {
    return this.#inTurn(async () => {
      const { lock, now, standings } = this.#look();
      const standing = standings.find((each) => each.server === server);
      if (standing === undefined) throw new SignalboxError('server-unknown', `no server is named "${server}"`);
      if (seen !== undefined && seen !== standing.fingerprint)
        throw new SignalboxError(
          'lock-outdated',
          `server "${server}" changed after you reviewed it; review the differences again`,
        );
      const whole = acceptedServer(standing, now);
      if (whole !== undefined && acceptsPin(standing)) {
        const pin = this.box.pins.get(server) ?? { tools: new Map() };
        await this.box.pins.replace(
          server,
          tool === undefined ? acceptedPin(pin, whole) : setLockedTool(pin, tool, whole),
        );
        return standing;
      }
      const locked = lock?.servers.get(server);
      if (tool !== undefined && locked === undefined)
        throw new SignalboxError('lock-outdated', `server "${server}" is not locked, and no tool of it has changed`);
      const present = tool === undefined || locked === undefined ? whole : setLockedTool(locked, tool, whole);
      const accepted = setLockedServer(lock, server, present);
      const { directory } = this.#configuration;
      await this.#accepted.accept(server, readLock(directory), present);
      this.#accepted.writeFile(directory, accepted);
      await this.#servers.change(this.#configuration, accepted, 'thrown');
      return standing;
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

  #look(): { lock: Lock | undefined; now: Lock; standings: ServerLockStatus[] } {
    const lock = this.#locked(this.#configuration);
    const sources = this.#servers.sources();
    const now = lockOf(sources);
    return { lock, now, standings: lockStatuses(this.#servers.entries(), sources, lock, now, this.#servers.pins()) };
  }

  /** The lock file, with what was accepted on other machines. */
  #locked({ directory }: Configuration): Lock | undefined {
    return this.#accepted.over(readLock(directory));
  }

  #basesOf(server: string): readonly string[] {
    const { servers, directory } = this.#configuration;
    const entry = servers.find(({ name }) => name === server);
    if (entry === undefined) return [directory];
    let bases = this.#bases.get(entry);
    if (bases === undefined) this.#bases.set(entry, (bases = baseDirectories(entry, directory)));
    return bases;
  }

  /** Applies what another machine may have accepted. */
  #takeAccepted(): Promise<unknown> {
    return this.#inTurn(async () => {
      await this.#accepted.load();
      await this.#servers.change(this.#configuration, this.#locked(this.#configuration), 'shown');
      // What cannot be looked at now is looked at again with the next note, and when the configuration changes.
    }).catch(() => undefined);
  }

  async #apply(
    configuration: Configuration,
    lock: Lock | undefined,
    changed: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    const rules = await readRules(configuration);
    await this.#begun.trust.assert({ configuration, rules });
    this.beforeChange?.();
    assertSecretsValid(registerSecrets(configuration.secrets, (name, value) => this.box.addSecret(name, value)));
    const servers = await this.#servers.change(configuration, lock, 'thrown', changed);
    const details = [...servers, ...this.#applyProfiles(configuration), ...(await this.#policies.put(rules))];
    if (!isDeepStrictEqual(this.#configuration.agents, configuration.agents)) details.push('changed the agents');
    if (!isDeepStrictEqual(this.#configuration.oauth, configuration.oauth)) details.push('changed whom OAuth trusts');
    if (!isDeepStrictEqual(this.#configuration.retention, configuration.retention))
      details.push('changed how long the journal is kept');
    const later = nextStart(this.#configuration, configuration);
    this.#configuration = configuration;
    return later.length === 0 ? details : [...details, `takes effect at the next start: ${later.join(', ')}`];
  }

  /** Rejects with `configuration-untrusted` when the file as it is now was not accepted: an edit is applied with the rest of it. */
  async #assertFileTrusted(): Promise<void> {
    const { file } = this.#configuration;
    if (!existsSync(file)) return;
    const configuration = loadConfiguration(file);
    await this.#begun.trust.assert({ configuration, rules: await readRules(configuration) });
  }

  /** Returns the rules that a save replaces: those of the files, or the ones in force while the files cannot be read. */
  async #replacedRules(): Promise<readonly PolicyDocument[]> {
    try {
      return await readRules(this.#configuration);
    } catch (error) {
      if (error instanceof ConfigurationError) return this.#policies.inForce;
      throw error;
    }
  }

  #applyProfiles({ profiles }: Configuration): string[] {
    if (isDeepStrictEqual(this.#configuration.profiles, profiles)) return [];
    this.box.setProfiles(profiles);
    return ['changed the profiles'];
  }

  #told(reload: Reload & { readonly status: 'applied' | 'refused' }): Reload {
    const { file } = this;
    emitSafely((change) => this.box.recordConfiguration(change), { ...reload, file });
    return reload;
  }

  #inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
    const made = this.#changing.then(change);
    this.#changing = made.catch(() => undefined);
    return made;
  }
}

/** What a running box cannot take over. */
function nextStart(before: Configuration, after: Configuration): string[] {
  return [
    ...(before.store === after.store ? [] : ['store']),
    ...(['maxBytes', 'maxMediaBytes'] as const)
      .filter((key) => before.results[key] !== after.results[key])
      .map((key) => `results.${key}`),
    ...(isDeepStrictEqual(before.undo, after.undo) ? [] : ['undo']),
    ...(before.oauth?.url === after.oauth?.url ? [] : ['oauth.url']),
    ...(isDeepStrictEqual(before.startup, after.startup) ? [] : ['startup']),
    ...(before.builtinName === after.builtinName ? [] : ['builtin.name']),
  ];
}

function detailsOf(error: unknown): string[] {
  if (error instanceof UntrustedConfigurationError) return error.details();
  return error instanceof ConfigurationError ? error.message.split('\n') : [messageOf(error)];
}
