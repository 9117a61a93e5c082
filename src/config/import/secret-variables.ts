/** Gives each secret that is left behind the name of an environment variable; two different secrets never get the same one. */
export class SecretVariables {
  readonly #values = new Map<string, string>();

  /** The variable's own name where that says enough, else with the name of the server in front. */
  nameFor(server: string, key: string, value: string): string {
    const plain = upperWords(key);
    const full = `${upperWords(server)}_${plain}`;
    const candidates = [...(isGeneric(plain) ? [] : [plain]), full];
    const isOther = (name: string): boolean => (this.#values.get(name) ?? value) !== value;
    let name = candidates.shift() ?? full;
    for (let count = 2; isOther(name);) name = candidates.shift() ?? `${full}_${count++}`;
    this.#values.set(name, value);
    return name;
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
    .replaceAll(/^_+|_+$/g, '');
  return /^[A-Z]/.test(words) ? words : `SERVER_${words}`;
}
