import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { displayPath } from '../../config/file/displayed-value.ts';
import { parseJsonDocument } from '../../config/file/json-document.ts';
import { type UsedValue, resolveReferences } from '../../config/references.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import { messageOf } from '../../core/errors.ts';
import { isHarmlessVariable } from '../../process/minimal-environment.ts';
import type { SecretOptions } from '../../redaction/redactor.ts';
import { environment } from '../environment.ts';

/** Redacting shorter values of variables would remove ordinary words from the journal. */
export const minVariableSecretLength = 8;

/** Resolves the references of one configuration file. */
export interface ReferenceSource {
  /** The configuration file that contains the references. */
  readonly file: string;
  readonly vault: Pick<SecretVault, 'get'>;
  /** Registers a value that must never be recorded. */
  addSecret(name: string, value: string, options?: SecretOptions): void;
}

type Keys = readonly (string | number)[];

/** Resolves the references of one entry of the configuration, and collects the problems so that all are reported at once. */
export class EntryReferences {
  readonly #entry: Keys;
  readonly #source: ReferenceSource;
  readonly #problems: string[] = [];

  constructor(entry: Keys, source: ReferenceSource) {
    this.#entry = entry;
    this.#source = source;
  }

  /** Resolves a text that is not a secret. Only values of `${secret:…}` are registered as secrets. */
  resolvePlain(text: string, ...keys: Keys): Promise<string> {
    return this.#resolve(text, keys, ({ source }) => source === 'secret');
  }

  /** Resolves a text that is a secret. Values of variables are registered as secrets, too. */
  resolveSecret(text: string, ...keys: Keys): Promise<string> {
    return this.#resolve(
      text,
      keys,
      // Values of variables such as `HOME` are part of every path, which agents must be able to read.
      ({ source, name, value }) =>
        source === 'secret' || (value.length >= minVariableSecretLength && !isHarmlessVariable(name)),
    );
  }

  /** Resolves several secrets by name. */
  async resolveSecrets(texts: Readonly<Record<string, string>>, ...keys: Keys): Promise<Record<string, string>> {
    const entries = Object.entries(texts).map(async ([key, text]) => [
      key,
      await this.resolveSecret(text, ...keys, key),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }

  /** Throws all problems, if there are any. */
  assertResolved(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('; '));
  }

  async #resolve(text: string, keys: Keys, isSecret: (value: UsedValue) => boolean): Promise<string> {
    const { file, vault, addSecret } = this.#source;
    const path = [...this.#entry, ...keys];
    const sources = { environment, secret: (name: string) => vault.get(name) };
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

/** Returns the current location of an entry as `FILE:LINE: `, or an empty text when the file no longer exists. */
function placeOf(file: string, path: Keys): string {
  try {
    const document = parseJsonDocument(readFileSync(file, 'utf8'));
    return `${basename(file)}:${document.placeOf(document.offsetOf(path)).line}: `;
  } catch {
    return '';
  }
}
