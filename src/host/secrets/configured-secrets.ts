import { SignalboxError } from '../../core/errors.ts';
import { environment } from '../environment.ts';

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
