import { SignalboxError } from '../../core/errors.ts';

/** A secret of the configuration that is not kept out of the record, and why. */
export interface SecretProblem {
  readonly name: string;
  readonly kind: 'missing' | 'invalid';
  readonly message: string;
}

/** Keeps the values of environment variables out of the record; tells of those where it cannot be done. */
export function registerSecrets(names: readonly string[], add: (name: string, value: string) => void): SecretProblem[] {
  const problems: SecretProblem[] = [];
  for (const name of names) {
    const value = process.env[name];
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

/** Throws when a secret would end up in the record. */
export function assertSecretsValid(problems: readonly SecretProblem[]): void {
  const invalid = problems.find((problem) => problem.kind === 'invalid');
  if (invalid !== undefined) throw new SignalboxError('secret-invalid', invalid.message);
}
