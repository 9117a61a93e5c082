import { delimiter, dirname, sep } from 'node:path';
import { hashOf } from '../../catalog/lock/canonical-json.ts';
import { printLock } from '../../catalog/lock/lock-format.ts';
import { type LockedServer, lockFileName } from '../../catalog/lock/lock-types.ts';
import { SignalboxError } from '../../core/errors.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type { Configuration } from '../configuration.ts';
import { readLock } from '../lock/lock-file.ts';
import { keyRing } from '../secrets/key-ring.ts';
import { secretVault } from '../secrets/sealed-files.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import { type Capabilities, type Capability, type Limit, capabilitiesOf } from './capabilities.ts';
import { type AcceptedCapability, type TrustRecord, TrustRecords, identityOf, realPath } from './trust-records.ts';
import { type PendingTrust, UntrustedConfigurationError } from './untrusted-error.ts';

/** A configuration and its rules. */
export interface ConfigurationWithRules {
  readonly configuration: Pick<Configuration, 'file' | 'document'>;
  readonly rules: readonly PolicyDocument[];
}

/** Options of `ConfigurationTrust`. */
export interface TrustOptions {
  /** The data directory. */
  readonly data: string;
  /** The configurations that are trusted without a record: `all`, or directories separated as in `PATH`. */
  readonly trusted: string;
  readonly vault?: Pick<SecretVault, 'has'>;
}

/** Decides whether a configuration may be used on this machine. See docs/decisions/configuration.md. */
export class ConfigurationTrust {
  readonly records: TrustRecords;
  readonly #data: string;
  readonly #trusted: string;
  readonly #vault: Pick<SecretVault, 'has'>;

  constructor({ data, trusted, vault }: TrustOptions) {
    this.records = new TrustRecords(data);
    this.#data = data;
    this.#trusted = trusted;
    // `has` needs no key, so that the environment and the keychain do not matter.
    this.#vault = vault ?? secretVault({ data, keys: keyRing(data, {}) });
  }

  /** Returns the capabilities that have to be accepted; `undefined` when the configuration may be used. */
  async pending({ configuration, rules }: ConfigurationWithRules): Promise<PendingTrust | undefined> {
    if (this.#isTrustedByEnvironment(configuration.file)) return undefined;
    return await this.#compare(configuration.file, withLock({ configuration, rules }));
  }

  /** Rejects with `configuration-untrusted` when something has to be accepted. Records new limits as accepted. */
  async assert(read: ConfigurationWithRules): Promise<void> {
    const { file } = read.configuration;
    if (this.#isTrustedByEnvironment(file)) return;
    const now = withLock(read);
    const pending = await this.#compare(file, now);
    if (pending !== undefined)
      throw new UntrustedConfigurationError(pending, { data: this.#data, accept: () => this.accept(read) });
    this.#tighten(file, now);
  }

  /** Accepts all current capabilities of a configuration, and grants it the existing secrets. */
  async accept({ configuration, rules }: ConfigurationWithRules): Promise<void> {
    const { items, secrets } = withLock({ configuration, rules });
    const granted = new Set(this.records.find(configuration.file)?.secrets);
    for (const name of secrets) if (await this.#exists(name)) granted.add(name);
    this.records.change(configuration.file, {
      acceptedAt: new Date().toISOString(),
      capabilities: stored(items),
      secrets: [...granted],
    });
  }

  /** Accepts only the difference that a command made, and grants the secrets that it refers to. */
  async acceptEdit(before: ConfigurationWithRules | undefined, after: ConfigurationWithRules): Promise<void> {
    const { previous, current } = this.acceptDifference(before, after);
    for (const name of current.secrets)
      if (!previous.secrets.includes(name) && (await this.#exists(name)))
        this.grantSecrets(after.configuration.file, [name]);
  }

  /** Accepts the current lock of a configuration, after a command or the console wrote it on behalf of the user. */
  acceptLock(file: string): void {
    const record = this.records.find(file);
    if (record === undefined) return;
    const others = record.capabilities.filter((capability) => !isLockCapability(capability));
    this.records.change(file, { capabilities: merged(others, lockCapabilities(file)) });
  }

  /** Returns the capabilities that `acceptEdit` would accept. */
  addedBy(before: ConfigurationWithRules | undefined, after: ConfigurationWithRules): readonly Capability[] {
    return uniqueById(differenceOf(before, after).added);
  }

  /** Accepts only the difference between two states of a file. */
  acceptDifference(
    before: ConfigurationWithRules | undefined,
    after: ConfigurationWithRules,
  ): { previous: Capabilities; current: Capabilities } {
    const { file } = after.configuration;
    const { previous, current, added } = differenceOf(before, after);
    const [previousIds, currentIds] = [idsOf(previous.items), idsOf(current.items)];
    const { capabilities = [] } = this.records.find(file) ?? {};
    const isRemoved = (id: string): boolean => previousIds.has(id) && !currentIds.has(id);
    if (added.length > 0 || capabilities.some(({ id }) => isRemoved(id))) {
      const remaining = capabilities.filter(({ id }) => !isRemoved(id));
      this.records.change(file, { capabilities: merged(remaining, added) });
    }
    return { previous, current };
  }

  /** Lets a configuration use secrets. */
  grantSecrets(file: string, names: Iterable<string>): void {
    const granted = new Set([...(this.records.find(file)?.secrets ?? []), ...names]);
    if (granted.size > 0) this.records.change(file, { secrets: [...granted] });
  }

  /** Returns the secrets that were granted to a configuration. */
  secretsFor(file: string, vault: Pick<SecretVault, 'get'>): Pick<SecretVault, 'get'> {
    return {
      get: async (name) => {
        const mayUse = this.#isTrustedByEnvironment(file) || this.records.find(file)?.secrets.includes(name) === true;
        if (mayUse || !(await this.#exists(name))) return await vault.get(name);
        throw new SignalboxError(
          'configuration-untrusted',
          `the secret ${name} is not granted to ${file}; run signalbox trust, which asks for it`,
        );
      },
    };
  }

  #isTrustedByEnvironment(file: string): boolean {
    if (this.#trusted === 'all') return true;
    const path = identityOf(file);
    return this.#trusted
      .split(delimiter)
      .filter((each) => each !== '')
      .some((each) => {
        const directory = realPath(each);
        return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
      });
  }

  async #exists(secret: string): Promise<boolean> {
    // An invalid name is reported when it is resolved.
    return await this.#vault.has(secret).catch(() => false);
  }

  async #ungranted({ secrets }: Capabilities, record: TrustRecord | undefined): Promise<Capability[]> {
    const missing: Capability[] = [];
    for (const name of secrets) {
      if (record?.secrets.includes(name) === true || !(await this.#exists(name))) continue;
      const text = `secret ${name}`;
      missing.push({ id: text, place: text, owner: '', asks: 'added', section: 'read', text });
    }
    return missing;
  }

  async #compare(file: string, now: Capabilities): Promise<PendingTrust | undefined> {
    const record = this.records.find(file);
    const accepted = idsOf(record?.capabilities ?? []);
    const limits = limitsOf(record);
    const isAdded = ({ id, asks, within, place, limit }: Capability): boolean => {
      if (asks === 'removed' || accepted.has(id)) return false;
      if (limit !== undefined)
        return limit.value > (limits.get(place)?.value ?? (limit.isAboveDefault ? -1 : Infinity));
      return within === undefined || accepted.has(within);
    };
    const added = [...now.items.filter(isAdded), ...(await this.#ungranted(now, record))];
    const lifted = liftedOf(now, record);
    if (added.length === 0 && lifted.length === 0) return undefined;
    const isKnown = accepted.size > 0;
    const applied = isKnown ? [] : now.items.filter(({ section }) => section === 'apply');
    return { file, isKnown, added: uniqueById([...added, ...applied]), lifted };
  }

  /** Adds the limits of a configuration in use to the accepted ones, so that lifting one later has to be accepted. */
  #tighten(file: string, { items }: Capabilities): void {
    const record = this.records.find(file);
    if (record === undefined) return;
    const known = idsOf(record.capabilities);
    const limits = items.filter(({ id }) => !known.has(id));
    if (limits.length > 0) this.records.change(file, { capabilities: merged(record.capabilities, limits) });
  }
}

/** Returns the capabilities of a configuration together with its lock. */
function withLock({ configuration, rules }: ConfigurationWithRules): Capabilities {
  const capabilities = capabilitiesOf(configuration, rules);
  return { ...capabilities, items: [...capabilities.items, ...lockCapabilities(configuration.file)] };
}

/** Returns the capabilities before and after an edit, and those that it adds. */
function differenceOf(
  before: ConfigurationWithRules | undefined,
  after: ConfigurationWithRules,
): { readonly previous: Capabilities; readonly current: Capabilities; readonly added: readonly Capability[] } {
  const previous = capabilitiesOf(before?.configuration ?? { document: {} }, before?.rules ?? []);
  const current = capabilitiesOf(after.configuration, after.rules);
  const known = idsOf(previous.items);
  return { previous, current, added: current.items.filter(({ id }) => !known.has(id)) };
}

/**
 * Returns the servers in the lock of a configuration as capabilities. A definition in the lock counts as accepted, so a changed or removed
 * entry must itself be accepted, unless the server was removed from the configuration.
 */
function lockCapabilities(file: string): Capability[] {
  const lock = readLock(dirname(file));
  return [...(lock?.servers ?? [])].map(([server, locked]) => {
    const text = printLock({ servers: new Map([[server, locked]]) });
    return {
      id: hashOf(`lock ${text}`),
      place: lockPlace(server),
      owner: `mcpServers.${server}`,
      asks: 'changed',
      section: 'set',
      text: `${lockFileName}: ${server} with ${describe(locked)}`,
    };
  });
}

/** Returns whether a capability is a locked server. */
function isLockCapability({ place }: Pick<AcceptedCapability, 'place'>): boolean {
  return place.startsWith(lockPlace(''));
}

function lockPlace(server: string): string {
  return `${lockFileName}: ${server}`;
}

/** Describes the tools that run without approval because they claim to be read-only. */
function describe({ tools }: LockedServer): string {
  const reads = [...tools].filter(([, { annotations }]) => annotations?.['readOnlyHint'] === true);
  const names = reads.map(([name]) => JSON.stringify(name)).join(', ');
  return `${pluralize(tools.size, 'tool')}${reads.length === 0 ? '' : `, of which these only read: ${names}`}`;
}

function liftedOf(now: Capabilities, record: TrustRecord | undefined): AcceptedCapability[] {
  const ids = new Set(now.items.map(({ id }) => id));
  // A changed value is shown as its new value, and a changed limit has to be accepted only when it is higher.
  const compared = new Set(
    now.items.filter(({ asks }) => asks === 'changed' || asks === 'raised').map(({ place }) => place),
  );
  return (record?.capabilities ?? []).filter(({ id, place, owner, asks, limit }) => {
    if (asks === 'added' || ids.has(id) || !now.owners.has(owner) || compared.has(place)) return false;
    return limit === undefined || limit.isBelowDefault;
  });
}

/** Returns the accepted limits by their place. */
function limitsOf(record: TrustRecord | undefined): ReadonlyMap<string, Limit> {
  return new Map(
    (record?.capabilities ?? []).flatMap(({ place, limit }) => (limit === undefined ? [] : [[place, limit]])),
  );
}

function idsOf(items: readonly AcceptedCapability[]): ReadonlySet<string> {
  return new Set(items.map(({ id }) => id));
}

function uniqueById(items: readonly Capability[]): Capability[] {
  return [...new Map(items.map((item) => [item.text, item])).values()];
}

/** Adds capabilities to accepted ones. A limit replaces the accepted one of its place. */
function merged(accepted: readonly AcceptedCapability[], added: readonly Capability[]): AcceptedCapability[] {
  const ids = idsOf(added);
  const limited = new Set(added.flatMap(({ place, limit }) => (limit === undefined ? [] : [place])));
  const others = accepted.filter(
    ({ id, place, limit }) => !ids.has(id) && (limit === undefined || !limited.has(place)),
  );
  return [...others, ...stored(added)];
}

function stored(items: readonly Capability[]): AcceptedCapability[] {
  return items.map(({ id, place, owner, asks, limit }) => ({
    id,
    place,
    owner,
    asks,
    ...(limit === undefined ? {} : { limit }),
  }));
}
