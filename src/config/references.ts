/** The variables and secrets that references are resolved from. */
export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the value of a secret; `undefined` when it does not exist. */
  secret(name: string): Promise<string | undefined>;
}

/** A value that replaced a reference. */
export interface UsedValue {
  readonly source: 'env' | 'secret';
  readonly name: string;
  readonly value: string;
}

/** A text with its references resolved. */
export interface ResolvedReferences {
  readonly text: string;
  readonly used: readonly UsedValue[];
}

const reference = /\$\{(?:(?<source>[A-Za-z]+):(?!-))?(?<name>[^}:]+)(?::-(?<fallback>[^}]*))?\}/g;

/** Resolves `${env:NAME}`, `${NAME}`, `${secret:NAME}` and `${NAME:-default}` in a text. Rejects with all references that have no value. */
export async function resolveReferences(
  text: string,
  sources: ReferenceSources,
  where: string,
): Promise<ResolvedReferences> {
  const used: UsedValue[] = [];
  const problems: string[] = [];
  let resolved = '';
  let copied = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(reference)) {
    const { source = 'env', name = '', fallback } = groups;
    if (source !== 'env' && source !== 'secret')
      throw new Error(`${where} refers to ${whole}, which cannot be resolved; use \${env:…} or \${secret:…}`);
    const value = source === 'env' ? sources.environment[name] : await sources.secret(name);
    const isThere = value !== undefined && value !== '';
    if (isThere) used.push({ source, name, value });
    else if (fallback === undefined) problems.push(missing(source, name, where));
    resolved += text.slice(copied, index) + (isThere ? value : (fallback ?? ''));
    copied = index + whole.length;
  }
  if (problems.length > 0) throw new Error([...new Set(problems)].join('; '));
  return { text: resolved + text.slice(copied), used };
}

/** Returns the names of the secrets that a text refers to. */
export function referencedSecrets(text: string): string[] {
  return referencesIn(text).flatMap(({ source, name }) => (source === 'secret' ? [name] : []));
}

/** Returns the variables and secrets that a text refers to, without duplicates. */
export function referencesIn(text: string): Omit<UsedValue, 'value'>[] {
  const found = [...text.matchAll(reference)].map(({ groups = {} }) => ({
    source: groups['source'] === 'secret' ? ('secret' as const) : ('env' as const),
    name: groups['name'] ?? '',
  }));
  return [...new Map(found.map((each) => [`${each.source}:${each.name}`, each])).values()];
}

function missing(source: UsedValue['source'], name: string, where: string): string {
  if (source === 'env') return `${where} refers to the environment variable ${name}, which is not set`;
  return `${where} refers to the secret ${name}, which is not set; run signalbox secret set ${name}`;
}
