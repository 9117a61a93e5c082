import { isSecretKey } from '../../redaction/secret-keys.ts';
import { containsSecretPattern } from '../../redaction/secret-patterns.ts';

/** The scheme that precedes the secret in a header. */
export const authorizationScheme = /^(bearer|basic|token|apikey)\s+/i;

const reference = /\$\{[^}]*\}/g;
// Broader than other detectors: a false positive costs one environment variable, a false negative a leak.
const moreSecretKeys = /(?:^|[_-])(?:key|pat|auth)$/i;

/** Returns whether the value of a variable or header is a secret by its name or format, and not a reference to one. */
export function isLikelySecret(key: string, value: string): boolean {
  const literal = value.replaceAll(reference, '[redacted]');
  if (containsSecretPattern(literal)) return true;
  return isSecretName(key) && !/^\s*(?:(?:bearer|basic|token|apikey)\s*)?(?:\[redacted\]\s*)*$/i.test(literal);
}

/** Returns whether a value is long and mixes letters and digits, unlike words and names. */
export function isRandomLooking(value: string): boolean {
  const runs = value.match(/[A-Za-z0-9+]{20,}/g) ?? [];
  return runs.some((run) => (run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length >= 4);
}

/** Returns whether a name is that of a secret. */
export function isSecretName(key: string): boolean {
  return isSecretKey(key) || moreSecretKeys.test(key);
}
