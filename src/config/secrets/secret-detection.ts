import { isSecretKey } from '../../redaction/secret-keys.ts';
import { holdsSecretPattern } from '../../redaction/secret-patterns.ts';

/** What stands before the secret in a header. */
export const authorizationScheme = /^(bearer|basic|token|apikey)\s+/i;

const reference = /\$\{[^}]*\}/g;
// Shorter than what other detectors ask for: here a wrong guess costs one environment variable, a missed one a leak.
const moreSecretKeys = /(?:^|[_-])(?:key|pat|auth)$/i;

/** Says whether a value of an environment or of headers is a secret by its name or by its form, and not a reference to one. */
export function isLikelySecret(key: string, value: string): boolean {
  const literal = value.replaceAll(reference, '[redacted]');
  if (holdsSecretPattern(literal)) return true;
  return isSecretName(key) && !/^\s*(?:(?:bearer|basic|token|apikey)\s*)?(?:\[redacted\]\s*)*$/i.test(literal);
}

/** Says whether a value is long and changes between letters and digits as no word or name does. */
export function isRandomLooking(value: string): boolean {
  const runs = value.match(/[A-Za-z0-9+]{20,}/g) ?? [];
  return runs.some((run) => (run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length >= 4);
}

/** Says whether a name announces a secret. */
export function isSecretName(key: string): boolean {
  return isSecretKey(key) || moreSecretKeys.test(key);
}
