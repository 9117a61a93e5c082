import { hash } from 'node:crypto';

/**
 * Gives each name one that a provider takes: letters, digits, `_` and `-`, not beginning with a digit or `-`, within its length.
 * A name that fits is kept; any other gets a hash of the whole, so that it comes out the same every time.
 */
export function fitNames(names: readonly string[], longest: number): ReadonlyMap<string, string> {
  const fitted = new Map(names.filter((name) => fits(name, longest)).map((name) => [name, name]));
  const taken = new Set(fitted.values());
  for (const name of names) {
    if (fitted.has(name)) continue;
    const short = freeName(name, longest, taken);
    fitted.set(name, short);
    taken.add(short);
  }
  return fitted;
}

function fits(name: string, longest: number): boolean {
  return name.length <= longest && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

/** More of the hash is taken for as long as another tool has the name. */
function freeName(name: string, longest: number, taken: ReadonlySet<string>): string {
  const digest = hash('sha256', name, 'hex');
  const safe = name.replace(/[^A-Za-z0-9_-]/gu, '_').replace(/^(?![A-Za-z_])/, '_');
  for (let length = 8; ; length += 1) {
    const mark = `_${digest.slice(0, length)}`;
    const short = safe.slice(0, longest - mark.length) + mark;
    if (!taken.has(short)) return short;
  }
}
