import type { Configuration } from '../../config/configuration.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import type { Signalbox } from '../../signalbox.ts';

/** The policies of a configuration, put into force when they are others than before. */
export class ConfiguredPolicies {
  readonly #box: Signalbox;
  #inForce: readonly PolicyDocument[] = [];

  constructor(box: Signalbox) {
    this.#box = box;
  }

  /** The rules of the files that were put into force last. */
  get inForce(): readonly PolicyDocument[] {
    return this.#inForce;
  }

  /** Puts rules that were read into force; says what changed. */
  async put(documents: readonly PolicyDocument[]): Promise<string[]> {
    // What was put into force by other means stays until the files say something new.
    if (written(documents) === written(this.#inForce)) return [];
    await this.#box.setPolicies(documents);
    this.#inForce = documents;
    return ['changed the policies'];
  }
}

/** The rules of a configuration. Throws when something is wrong with them; the code is imported when it is needed: not every box has rules. */
export async function readRules(configuration: Configuration): Promise<readonly PolicyDocument[]> {
  if (configuration.policies === undefined) return [];
  const { loadPolicies } = await import('../../config/file/policy-file.ts');
  return loadPolicies(configuration);
}

/** The rules with their lines: decisions tell where a rule stands. */
function written(documents: readonly PolicyDocument[]): string {
  return JSON.stringify(
    documents.map(({ value, placeOf }) => [
      value,
      Array.isArray(value) ? value.map((_, index) => placeOf([index])?.line) : [],
    ]),
  );
}
