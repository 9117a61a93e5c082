/** The programs in generated texts. */
export const programs = ['aa', 'bb', 'cc', 'dd', 'ee'] as const;

type Make = () => string;

/** Generates shell texts from a grammar: substitutions, here-documents, braces, functions, `eval` and `sh -c`, nested and unusually quoted. */
export class ShellTexts {
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  next(): string {
    return this.#command(3);
  }

  #pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.#random(values.length)] ?? values[0];
  }

  #name(): string {
    return this.#pick(programs);
  }

  #spelled(): string {
    const name = this.#name();
    const [first = '', second = ''] = name;
    const code = name.charCodeAt(0).toString(16);
    return this.#pick([
      name,
      name,
      `'${name}'`,
      `"${name}"`,
      `${first}'${second}'`,
      `\\${name}`,
      `${first}\\${second}`,
      `$'\\x${code}'${second}`,
      `${first}""${second}`,
      `{${name},x}`,
      `${first}\\\n${second}`,
    ]);
  }

  #quoted(text: string): string {
    return this.#pick([
      `'${text.replaceAll("'", String.raw`'\''`)}'`,
      `"${text.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`,
      `$'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`,
    ]);
  }

  #word(depth: number): string {
    const plain: Make = () => this.#pick(['x', '-v', '1', "'q r'", '"$X"', '*', '~', '#h', '\\;']);
    if (depth <= 0) return plain();
    const inner: Make = () => this.#command(depth - 1);
    const simple: Make = () => this.#simple(0);
    return this.#pick<Make>([
      plain,
      plain,
      () => `$(${inner()})`,
      () => `\`${simple()}\``,
      () => `"$(${inner()})"`,
      () => `<(${inner()})`,
      () => `\${X:-$(${inner()})}`,
      () => `\${X:-'$(${simple()})'}`,
      () => `$((1+$(${simple()}; echo 1)))`,
      () => `{a,$(${simple()})}`,
      () => `"\${X:-\`${simple()}\`}"`,
      () => `'$(${this.#name()})'`,
      () => `"\\$(${this.#name()})"`,
    ])();
  }

  #simple(depth: number): string {
    return [this.#spelled(), ...Array.from({ length: this.#random(3) }, () => this.#word(depth))].join(' ');
  }

  #command(depth: number): string {
    const simple: Make = () => this.#simple(0);
    if (depth <= 0) return simple();
    const inner: Make = () => this.#command(depth - 1);
    const shell: Make = () => this.#pick(['sh', 'bash', '/bin/sh']);
    const option: Make = () => this.#pick(['-c', '-ec', '-e -c', '-c --', '+e -c']);
    return this.#pick<Make>([
      () => this.#simple(depth),
      () => this.#simple(depth),
      () => `${inner()} ${this.#pick([';', '&&', '||', '|', '|&', '&', '\n'])} ${inner()}`,
      () => `( ${inner()} )`,
      () => `{ ${inner()}; }`,
      () => `eval ${this.#quoted(inner())}`,
      () => `eval ${this.#quoted(simple())} ${this.#quoted(simple())}`,
      () => `${shell()} ${option()} ${this.#quoted(inner())}`,
      () => `bash -o errexit -c ${this.#quoted(simple())}`,
      () => `bash --norc -c ${this.#quoted(simple())}`,
      () => `if ${inner()}; then ${inner()}; else ${simple()}; fi`,
      () => `while ${inner()}; do ${simple()}; break; done`,
      () => `until ${simple()}; do break; done`,
      () => `for i in 1 ${this.#word(depth - 1)}; do ${inner()}; done`,
      () => `case x in x) ${inner()};; esac`,
      () => `f() { ${inner()}; }; f`,
      () => `function g { ${inner()}; }\ng`,
      () => `X=$(${inner()})`,
      () => `X=1 ${simple()}`,
      () => `${simple()} <<E\n$(${simple()})\nE`,
      () => `${simple()} <<'E'\n$(${this.#name()})\nE\n${simple()}`,
      () => `${simple()} <<< "$(${simple()})"`,
      () => `! ${inner()}`,
      () => `time -p ${simple()}`,
      () => `coproc ${simple()}`,
      () => `[[ -n $(${simple()}) ]]`,
      () => `[[ a == @(a|$(${simple()})) ]]`,
      () => `${simple()} # ${this.#name()}\n${simple()}`,
      () => `${simple()} > out$(${simple()})`,
    ])();
  }
}
