import type { Configuration } from '../../config/configuration.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';

/** The policies of a configuration, which are set in its box when they change. */
export class ConfiguredPolicies {
  readonly #box: InternalSignalbox;
  #active: readonly PolicyDocument[] = [];

  constructor(box: InternalSignalbox) {
    this.#box = box;
  }

  /** The rules from files that are active. */
  get active(): readonly PolicyDocument[] {
    return this.#active;
  }

  /** Activates rules and returns a description of the change, if there is one. */
  async set(documents: readonly PolicyDocument[]): Promise<string[]> {
    // Unchanged files do not replace rules that a program has set since.
    if (serialize(documents) === serialize(this.#active)) return [];
    await this.#box.policies.set(documents);
    this.#active = documents;
    return ['changed the policies'];
  }
}

/** Reads the rules of a configuration. Rejects when they are invalid. Imports the parser on demand: not every configuration has rules. */
export async function readRules(configuration: Configuration): Promise<readonly PolicyDocument[]> {
  if (configuration.policies === undefined) return [];
  const { loadPolicies } = await import('../../config/file/load-policies.ts');
  return loadPolicies(configuration);
}

/** Serializes rules with their lines, because decisions report the line of a rule. */
function serialize(documents: readonly PolicyDocument[]): string {
  return JSON.stringify(
    documents.map(({ value, placeOf }) => [
      value,
      Array.isArray(value) ? value.map((_, index) => placeOf([index])?.line) : [],
    ]),
  );
}
