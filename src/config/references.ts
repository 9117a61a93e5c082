/** What came of resolving the references in a text. */
export interface Resolved {
  readonly text: string;
  /** The variables that stood in it, with their values. */
  readonly used: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\{(?:(?<source>[A-Za-z]+):(?!-))?(?<name>[^}:]+)(?::-(?<fallback>[^}]*))?\}/g;

/** Puts the values of environment variables in the place of `${env:NAME}`, `${NAME}` and `${NAME:-default}`. Throws when one is missing. */
export function resolveReferences(text: string, environment: Environment, where: string): Resolved {
  const used: Record<string, string> = {};
  const resolved = text.replace(reference, (whole, ...groups: unknown[]) => {
    const { source = 'env', name = '', fallback } = groups.at(-1) as Partial<Record<string, string>>;
    if (source !== 'env')
      throw new Error(`${where} refers to ${whole}, which this version cannot resolve; use \${env:…}`);
    const value = environment[name];
    if (value !== undefined && value !== '') return (used[name] = value);
    if (fallback !== undefined) return fallback;
    throw new Error(`the environment variable ${name} is not set, to which ${where} refers`);
  });
  return { text: resolved, used };
}
