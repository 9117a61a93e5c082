/** Limit for names of sessions and clients. Ids of principals are never cut, because two of them must not collapse into one. */
export const maxNameLength = 200;
const plain = /^[!-~](?:[!-~]| (?! )){0,198}[!-~]$/;

/**
 * Returns the canonical form of a name that a caller chose for itself, its session or its client: a single line of bounded length,
 * without control, format and surrogate characters, spaces collapsed. Names that differ only in such characters become equal.
 */
export function normalizeName(name: string, maxLength = maxNameLength): string {
  if (plain.test(name)) return name;
  return name
    .toWellFormed()
    .replace(/\p{Cf}+/gu, '')
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trimStart()
    .slice(0, maxLength)
    .toWellFormed()
    .trimEnd();
}
