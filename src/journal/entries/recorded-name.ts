import { maxNameLength, normalizeName } from '../../core/text/normalize-name.ts';
import type { Redactor } from '../../redaction/redactor.ts';

interface KnownNames {
  readonly registeredCount: number;
  readonly sessions: Map<string, string>;
  readonly principals: Map<string, string>;
}

const maxKnown = 1000;
const known = new WeakMap<Redactor, KnownNames>();

/**
 * Returns the name of a session as the journal records it: a single line (see `linkHash`), without secrets. Comparisons with recorded
 * names must use this form.
 */
export function recordedName(redactor: Redactor, name: string): string {
  return cached(knownBy(redactor).sessions, name, () => withoutSecrets(redactor, name, maxNameLength));
}

/** Returns the id of a principal as the journal records it. */
export function recordedPrincipal(redactor: Redactor, id: string): string {
  return cached(knownBy(redactor).principals, id, () => withoutSecrets(redactor, id, Number.POSITIVE_INFINITY));
}

function withoutSecrets(redactor: Redactor, name: string, maxLength: number): string {
  return normalizeName(redactor.text(normalizeName(name, maxLength)), maxLength);
}

/** Returns the cache of names, which is valid until another secret is registered. */
function knownBy(redactor: Redactor): KnownNames {
  const { registeredCount } = redactor;
  let found = known.get(redactor);
  if (found?.registeredCount !== registeredCount)
    known.set(redactor, (found = { registeredCount, sessions: new Map(), principals: new Map() }));
  return found;
}

function cached(names: Map<string, string>, name: string, make: () => string): string {
  let made = names.get(name);
  if (made === undefined) {
    if (names.size >= maxKnown) names.clear();
    names.set(name, (made = make()));
  }
  return made;
}
