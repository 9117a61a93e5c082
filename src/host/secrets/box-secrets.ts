import { SignalboxError } from '../../core/errors.ts';
import { type SecretOptions, createRedactor } from '../../redaction/redactor.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { environment } from '../environment.ts';

type SecretReceiver = Pick<InternalSignalbox, 'secrets'>;

/** Collects secret values before the box exists, and passes them and all later ones to the box. */
export class BoxSecrets {
  readonly #redactor = createRedactor();
  readonly #early: (readonly [name: string, value: string, options: SecretOptions | undefined])[] = [];
  #box: SecretReceiver | undefined;

  /** Registers a value. Throws when it cannot be redacted. */
  add(name: string, value: string, options?: SecretOptions): void {
    this.#redactor.add(name, value, options);
    if (this.#box === undefined) this.#early.push([name, value, options]);
    else this.#box.secrets.add(name, value, options);
  }

  /** Passes all known values, and all later ones, to the box. Call it before the box records anything. */
  attach(box: SecretReceiver): void {
    this.#box = box;
    for (const early of this.#early.splice(0)) box.secrets.add(...early);
  }

  /** Removes the values from a text. */
  redact(text: string): string {
    return this.#redactor.values(text);
  }
}

/** A variable in `secrets` of the configuration that cannot be redacted, and the reason. */
export interface SecretProblem {
  readonly name: string;
  readonly kind: 'missing' | 'invalid';
  readonly message: string;
}

/** Registers the values of environment variables as secrets. Returns a problem for each one that cannot be redacted. */
export function registerSecrets(names: readonly string[], add: (name: string, value: string) => void): SecretProblem[] {
  const problems: SecretProblem[] = [];
  for (const name of names) {
    const value = environment[name];
    if (value === undefined || value === '') {
      problems.push({ name, kind: 'missing', message: `the environment variable ${name} is not set` });
      continue;
    }
    try {
      add(name, value);
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error;
      problems.push({ name, kind: 'invalid', message: error.message });
    }
  }
  return problems;
}

/** Throws `secret-invalid` when a value cannot be redacted. A missing variable is harmless. */
export function assertSecretsValid(problems: readonly SecretProblem[]): void {
  const invalid = problems.find((problem) => problem.kind === 'invalid');
  if (invalid !== undefined) throw new SignalboxError('secret-invalid', invalid.message);
}
