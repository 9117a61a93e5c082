import { dirname } from 'node:path';
import { canonicalJson, hashOf } from '../../catalog/lock/canonical-json.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type { Configuration } from '../configuration.ts';
import { referencesIn } from '../references.ts';
import { installedCopy } from './installed-package.ts';
import { isSecretName } from '../secrets/secret-detection.ts';
import { type KeyAuthority, type Section, keyAuthorities, namedEntries, unknownKey } from './key-authority.ts';

/** One thing that a configuration may do, or one limit that it sets. */
export interface Capability {
  /** An id that changes whenever the place or the value does. */
  readonly id: string;
  /** The location in the configuration, without the value. */
  readonly place: string;
  /** The entry that it belongs to, such as one server; empty for the configuration as a whole. */
  readonly owner: string;
  /** The kind of edit that has to be accepted. */
  readonly asks: 'added' | 'removed' | 'changed' | 'raised';
  /** The selecting list of this element. The element grants something only if the list was accepted. */
  readonly within?: string;
  /** With `raised`: the limit. */
  readonly limit?: Limit;
  readonly section: Section;
  /** The display text. */
  readonly text: string;
}

/** A number, or a duration in milliseconds, and its comparison with the limit that applies without the key. */
export interface Limit {
  readonly value: number;
  readonly isAboveDefault: boolean;
  readonly isBelowDefault: boolean;
}

/** All capabilities of a configuration, with its entries. */
export interface Capabilities {
  readonly items: readonly Capability[];
  /** The existing owners, to distinguish a lifted limit from one that was removed together with its server. */
  readonly owners: ReadonlySet<string>;
  /** The secrets that it refers to. */
  readonly secrets: readonly string[];
}

/** Returns the capabilities of a configuration with these rules. */
export function capabilitiesOf(
  { document, file }: Pick<Configuration, 'document'> & { readonly file?: string },
  rules: readonly PolicyDocument[],
): Capabilities {
  const found = new Collector();
  found.walk(document, [], '');
  found.addReferences(document);
  if (file !== undefined) found.addInstalledPackages(document, dirname(file));
  for (const rule of rules) found.addRules(rule);
  return { items: found.items, owners: found.owners, secrets: found.secrets };
}

class Collector {
  readonly items: Capability[] = [];
  readonly owners = new Set(['']);
  readonly secrets: string[] = [];

  /** Visits a part of the document. `pattern` is its path as `keyAuthorities` writes it. */
  walk(value: JsonValue, path: readonly string[], pattern: string): void {
    const authority = keyAuthorities.get(pattern);
    if (authority !== undefined) return this.#add(value, path, authority);
    // An unknown part, or a part that is not an object where one is expected.
    if (!isJsonObject(value) || (pattern !== '' && !hasKeysBelow(pattern))) return this.#add(value, path, unknownKey);
    const units = new Map<string, [Section, Record<string, JsonValue>]>();
    const others: [key: string, part: JsonValue][] = [];
    for (const [key, part] of Object.entries(value)) {
      const { unit, section } = keyAuthorities.get(patternOf(pattern, key)) ?? unknownKey;
      if (namedEntries.has(pattern)) this.owners.add(ownerOf([...path, key]));
      if (unit === undefined) others.push([key, part]);
      else units.set(unit, [section, { ...units.get(unit)?.[1], [key]: part }]);
    }
    for (const [unit, [section, parts]] of units) this.#push([...path, unit], parts, 'changed', section);
    for (const [key, part] of others) this.walk(part, [...path, key], patternOf(pattern, key));
  }

  addReferences(document: JsonObject): void {
    const found = textsIn(document).flatMap(referencesIn);
    for (const { source, name } of new Map(found.map((each) => [`${each.source}:${each.name}`, each])).values()) {
      if (source === 'secret') this.secrets.push(name);
      const kind = source === 'secret' ? 'secret' : 'environment variable';
      this.items.push({
        ...identity(['reference', source, name], null),
        owner: '',
        asks: 'added',
        section: 'read',
        text: `${kind} ${name}`,
      });
    }
  }

  /** Adds the installed copies of npm packages, because a copy in the project runs instead of the published package. */
  addInstalledPackages(document: JsonObject, directory: string): void {
    const { mcpServers } = document;
    if (!isJsonObject(mcpServers)) return;
    for (const [name, entry] of Object.entries(mcpServers)) {
      const spec = isJsonObject(entry) ? packageOf(entry) : undefined;
      const copy = spec === undefined ? undefined : installedCopy(spec, directory);
      if (spec === undefined || copy === undefined) continue;
      this.items.push({
        ...identity(['mcpServers', name, 'npm', 'installed'], copy),
        owner: `mcpServers.${name}`,
        asks: 'added',
        section: 'run',
        text: `${name}: local files in ${word(copy)} instead of the npm package ${word(spec)}`,
      });
    }
  }

  /**
   * Adds the capabilities of rules. A rule that allows grants something; other rules restrict, and do not count in shadow mode. The
   * reason of a rule is text for models and approvers, as is an id that is more than a name.
   */
  addRules({ value, file, placeOf }: PolicyDocument): void {
    if (!Array.isArray(value)) return;
    for (const [index, rule] of (value as JsonValue[]).entries()) {
      if (!isJsonObject(rule) || rule['mode'] === 'shadow') continue;
      const { id, reason, ...meaning } = rule;
      const isAllowing = Object.hasOwn(rule, 'allow');
      const line = placeOf([index])?.line;
      const where = line === undefined ? file : `${file}:${line}`;
      this.items.push({
        ...identity(['rule'], meaning),
        place: `rule ${JSON.stringify(id)}`,
        owner: '',
        asks: isAllowing ? 'added' : 'removed',
        section: isAllowing ? 'allow' : 'apply',
        text: `rule ${JSON.stringify(id)} (${where}): ${JSON.stringify(meaning)}`,
      });
      const texts = { ...(isName(id) ? {} : { id }), ...(reason === undefined ? {} : { reason }) };
      if (Object.keys(texts).length === 0) continue;
      this.items.push({
        ...identity(['rule', 'texts'], [meaning, texts]),
        place: `texts of rule ${JSON.stringify(id)}`,
        owner: '',
        asks: 'added',
        section: 'show',
        text: `rule ${JSON.stringify(id)} (${where}): ${JSON.stringify(texts)}`,
      });
    }
  }

  #add(value: JsonValue, path: readonly string[], { asks, section, each, absent }: KeyAuthority): void {
    if (asks === 'never') return;
    if (asks === 'widened') return this.#addSelection(value, path, section);
    if (asks === 'raised') return this.#addLimit(value, path, section, absent);
    const kindOf = (part: JsonValue): Capability['asks'] => (asks === 'effect' ? asksForEffect(part) : asks);
    if (each === true && isJsonObject(value)) {
      for (const [key, part] of Object.entries(value)) this.#push([...path, key], part, kindOf(part), section);
    } else if (each === true && Array.isArray(value)) {
      for (const part of value as JsonValue[]) this.#push(path, part, kindOf(part), section);
      // Every flag that grants or restricts is off by default.
    } else if (value !== false || asks === 'changed') this.#push(path, value, kindOf(value), section);
  }

  #addSelection(value: JsonValue, path: readonly string[], section: Section): void {
    const list = identity(path, 'list');
    this.items.push({ ...list, owner: ownerOf(path), asks: 'removed', section, text: `${list.place} as a list` });
    for (const part of Array.isArray(value) ? (value as JsonValue[]) : [value])
      this.#push(path, part, 'added', section, { within: list.id });
  }

  #addLimit(value: JsonValue, path: readonly string[], section: Section, absent: number | 'outer' = 'outer'): void {
    const amount = amountOf(value);
    if (amount === undefined) return this.#push(path, value, 'changed', section);
    const isAboveDefault = absent === 'outer' || amount > absent;
    const isBelowDefault = absent === 'outer' || amount < absent;
    this.#push(path, value, 'raised', section, { limit: { value: amount, isAboveDefault, isBelowDefault } });
  }

  #push(
    path: readonly string[],
    value: JsonValue,
    asks: Capability['asks'],
    section: Section,
    more: Pick<Capability, 'within' | 'limit'> = {},
  ): void {
    const of = { owner: ownerOf(path), asks, section, text: textOf(path, value) };
    this.items.push({ ...identity(path, value), ...of, ...more });
  }
}

/** Returns the npm package that an entry runs, directly or with npx. */
function packageOf({ npm, command, args }: JsonObject): string | undefined {
  if (typeof npm === 'string') return npm;
  const isRunner = typeof command === 'string' && /^(?:.*[/\\])?(?:npx|bunx)(?:\.cmd)?$/.test(command);
  if (!isRunner || !Array.isArray(args)) return undefined;
  const spec = (args as JsonValue[]).find((each) => typeof each === 'string' && !each.startsWith('-'));
  return typeof spec === 'string' ? spec : undefined;
}

/** Returns each text separately, because a reference never spans two of them. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function identity(path: readonly string[], value: JsonValue): Pick<Capability, 'id' | 'place'> {
  return { id: hashOf(canonicalJson([path, value])), place: path.join('.') };
}

function ownerOf(path: readonly string[]): string {
  const [first = '', second] = path;
  return namedEntries.has(first) && second !== undefined ? `${first}.${second}` : '';
}

/** Returns the pattern of a key: with its own name if the table has it, else with a wildcard. */
function patternOf(pattern: string, key: string): string {
  const own = pattern === '' ? key : `${pattern}.${key}`;
  if (keyAuthorities.has(own) || hasKeysBelow(own)) return own;
  const anyOf = `${pattern}.*`;
  return namedEntries.has(pattern) && hasKeysBelow(anyOf) ? anyOf : own;
}

/** The paths of the objects that have classified keys. */
const holders = new Set(
  [...keyAuthorities.keys()].flatMap((key) => key.split('.').map((_, index, parts) => parts.slice(0, index).join('.'))),
);

function hasKeysBelow(pattern: string): boolean {
  return holders.has(pattern);
}

function isName(id: JsonValue | undefined): boolean {
  return typeof id === 'string' && /^[\w.:/-]{1,64}$/.test(id);
}

/** Returns a number unchanged, and a duration in milliseconds. */
function amountOf(value: JsonValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseDurationMs(value) : undefined;
}

function asksForEffect(effect: JsonValue): Capability['asks'] {
  return effect === 'read' ? 'added' : effect === 'irreversible' ? 'removed' : 'changed';
}

function textOf(path: readonly string[], value: JsonValue): string {
  const [root, name = '', ...keys] = path;
  const owner = root === 'mcpServers' ? name : root === 'agents' || root === 'profiles' ? `${root}.${name}` : '';
  if (owner === '') return `${path.join('.')}: ${plain(value)}`;
  const [first = '', ...names] = keys;
  const shown = credentialSettings.has(first) ? withoutSecrets(value, names.at(-1) ?? '') : plain(value);
  if (isJsonObject(value) && first === 'program') return `${owner}: ${programText(value)}`;
  if (isJsonObject(value) && first === 'module')
    return `${owner}: ${plain(value['module'])}${value['export'] === undefined ? '' : ` (export ${plain(value['export'])})`}`;
  if (first === 'url') return `${owner}: ${plain(value)}`;
  if (first === 'env') return `${owner}: with ${names.join('.')}=${shown}`;
  if (first === 'headers') return `${owner}: with header ${names.join('.')}: ${shown}`;
  return `${owner}: ${keys.join('.')} ${shown}`;
}

function programText({ command, npm, args, cwd }: JsonObject): string {
  const given = Array.isArray(args) ? (args as JsonValue[]) : args === undefined ? [] : [args];
  const words = [npm, command, ...given].filter((each) => each !== undefined).map(word);
  return `${npm === undefined ? '' : 'npm package '}${words.join(' ')}${cwd === undefined ? '' : ` (in ${plain(cwd)})`}`;
}

/** Quotes a word as for a shell, so that two arguments never look like one. */
function word(value: JsonValue): string {
  const text = plain(value);
  return /^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text);
}

function plain(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The settings of a server or agent whose literal values may be secrets. All other values are shown, whatever the names of the tools and
 * arguments in them: models and approvers read them, and people decide on them.
 */
const credentialSettings = new Set(['env', 'headers', 'auth', 'providers']);

/** Formats a value of such a setting. Hides literals whose key names a secret, and shows references. */
function withoutSecrets(value: JsonValue, key: string): string {
  const shown = (name: string, part: unknown): unknown =>
    typeof part === 'string' && isSecretName(name) && !part.includes('${') ? '(hidden)' : part;
  return typeof value === 'string' ? String(shown(key, value)) : JSON.stringify(value, shown);
}
