import type { SecretOptions } from '../../redaction/redactor.ts';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseJsonDocument } from '../../config/file/json-document.ts';
import { type UsedValue, resolveReferences } from '../../config/references.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import { displayPath } from '../../config/file/displayed-value.ts';
import { messageOf } from '../../core/errors.ts';
import { isHarmlessVariable } from '../../process/minimal-environment.ts';

/** Shorter values of variables would take ordinary words out of the record. */
export const minVariableSecretLength = 8;

/** What references are resolved with. */
export interface ReferenceSource {
  /** The configuration file that the references stand in. */
  readonly file: string;
  readonly vault: Pick<SecretVault, 'get'>;
  /** Registers a value that must never be recorded. */
  addSecret(name: string, value: string, options?: SecretOptions): void;
}

type Keys = readonly (string | number)[];

/** The references of one entry of the configuration. What cannot be resolved is collected, so that all of it can be told at once. */
export class EntryReferences {
  readonly #entry: Keys;
  readonly #source: ReferenceSource;
  readonly #problems: string[] = [];

  constructor(entry: Keys, source: ReferenceSource) {
    this.#entry = entry;
    this.#source = source;
  }

  /** A text that may name a secret, but is none. */
  resolvePlain(text: string, ...keys: Keys): Promise<string> {
    return this.#resolve(text, keys, ({ source }) => source === 'secret');
  }

  /** A text that is a secret, wherever its value comes from. */
  resolveSecret(text: string, ...keys: Keys): Promise<string> {
    return this.#resolve(
      text,
      keys,
      // The home directory stands in every path: taken for a secret, it would be taken out of all that is said to agents.
      ({ source, name, value }) =>
        source === 'secret' || (value.length >= minVariableSecretLength && !isHarmlessVariable(name)),
    );
  }

  /** Several of those, by name. */
  async resolveSecrets(texts: Readonly<Record<string, string>>, ...keys: Keys): Promise<Record<string, string>> {
    const entries = Object.entries(texts).map(async ([key, text]) => [
      key,
      await this.resolveSecret(text, ...keys, key),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }

  /** Throws when something could not be resolved. */
  assertResolved(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('; '));
  }

  async #resolve(text: string, keys: Keys, isSecret: (value: UsedValue) => boolean): Promise<string> {
    const { file, vault, addSecret } = this.#source;
    const path = [...this.#entry, ...keys];
    const sources = { environment: process.env, secret: (name: string) => vault.get(name) };
    try {
      const { text: resolved, used } = await resolveReferences(text, sources, displayPath(path));
      for (const value of used) if (isSecret(value)) addSecret(value.name, value.value);
      return resolved;
    } catch (error) {
      this.#problems.push(`${placeOf(file, path)}${messageOf(error)}`);
      return '';
    }
  }
}

/** Where something stands in the file as it is now, to begin a message with; nothing when the file is gone. */
function placeOf(file: string, path: Keys): string {
  try {
    const document = parseJsonDocument(readFileSync(file, 'utf8'));
    return `${basename(file)}:${document.placeOf(document.offsetOf(path)).line}: `;
  } catch {
    return '';
  }
}
