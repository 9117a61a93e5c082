import { hash } from 'node:crypto';

/**
 * Maps each name to one that a provider accepts: letters, digits, `_` and `-`, not starting with a digit or `-`, up to a length. A valid name
 * stays the same; any other is shortened and gets a hash of the original, so that the result is stable.
 */
export function fitNames(names: readonly string[], maxLength: number): ReadonlyMap<string, string> {
  const fitted = new Map(names.filter((name) => fits(name, maxLength)).map((name) => [name, name]));
  const taken = new Set(fitted.values());
  for (const name of names) {
    if (fitted.has(name)) continue;
    const short = freeName(name, maxLength, taken);
    fitted.set(name, short);
    taken.add(short);
  }
  return fitted;
}

function fits(name: string, maxLength: number): boolean {
  return name.length <= maxLength && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

/** Uses more of the hash as long as the name is taken. */
function freeName(name: string, maxLength: number, taken: ReadonlySet<string>): string {
  const digest = hash('sha256', name, 'hex');
  const safe = name.replace(/[^A-Za-z0-9_-]/gu, '_').replace(/^(?![A-Za-z_])/, '_');
  for (let length = 8; ; length += 1) {
    const mark = `_${digest.slice(0, length)}`;
    const short = safe.slice(0, maxLength - mark.length) + mark;
    if (!taken.has(short)) return short;
  }
}
