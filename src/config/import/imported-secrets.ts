/** Gives each secret of other clients a name, and remembers those that can be kept; two different ones never get the same name. */
export class ImportedSecrets {
  readonly #values = new Map<string, string>();
  readonly #kept = new Map<string, string>();
  readonly #taken: ReadonlySet<string>;

  /** `taken` are the names of secrets that are kept already, and stay as they are. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The variable's own name where that says enough, else with the name of the server in front. */
  nameFor(server: string, key: string, value: string): string {
    const plain = upperWords(key);
    const full = `${upperWords(server)}_${plain}`;
    const candidates = [...(isGeneric(plain) ? [] : [plain]), full];
    const isOther = (name: string): boolean => {
      const known = this.#values.get(name);
      return known === undefined ? this.#taken.has(name) : known !== value;
    };
    let name = candidates.shift() ?? full;
    for (let count = 2; isOther(name);) name = candidates.shift() ?? `${full}_${count++}`;
    this.#values.set(name, value);
    return name;
  }

  /** Names a secret and remembers its value. */
  keep(server: string, key: string, value: string): string {
    const name = this.nameFor(server, key, value);
    this.#kept.set(name, value);
    return name;
  }

  /** What was remembered under those names. */
  valuesOf(names: readonly string[]): ReadonlyMap<string, string> {
    return new Map([...this.#kept].filter(([name]) => names.includes(name)));
  }
}

const genericWords = new Set(
  'ACCESS API APIKEY AUTH AUTHORIZATION BEARER CLIENT COOKIE CREDENTIALS KEY PASSWORD PAT PRIVATE SECRET TOKEN URL X'.split(
    ' ',
  ),
);

/** `API_KEY` is the name that a dozen servers give their secret. */
function isGeneric(name: string): boolean {
  return name.split('_').every((word) => genericWords.has(word));
}

function upperWords(text: string): string {
  const words = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 48);
  return /^[A-Z]/.test(words) ? words : `SERVER_${words}`;
}
