/** Names the secrets of other clients, and collects those that can be stored. Different secrets get different names. */
export class ImportedSecrets {
  readonly #values = new Map<string, string>();
  readonly #collected = new Map<string, string>();
  readonly #taken: ReadonlySet<string>;

  /** `taken` are the names of existing secrets. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns the name of the variable if it is specific, else with the name of the server as a prefix. */
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

  /** Names a secret and collects its value. */
  collect(server: string, key: string, value: string): string {
    const name = this.nameFor(server, key, value);
    this.#collected.set(name, value);
    return name;
  }

  /** Returns the collected values of these names. */
  valuesOf(names: readonly string[]): ReadonlyMap<string, string> {
    return new Map([...this.#collected].filter(([name]) => names.includes(name)));
  }
}

const genericWords = new Set(
  'ACCESS API APIKEY AUTH AUTHORIZATION BEARER CLIENT COOKIE CREDENTIALS KEY PASSWORD PAT PRIVATE SECRET TOKEN URL X'.split(
    ' ',
  ),
);

/** Returns whether a name, such as `API_KEY`, does not identify the server. */
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
