const mostLines = 200;
const longestLine = 2048;

/** The last lines that a server wrote about itself. */
export class RecentLines {
  readonly #lines: string[] = [];
  readonly #redact: (text: string) => string;
  #rest = '';

  /** `redact` takes out what must not be shown. */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
  }

  /** Takes a piece of a stream, which may end in the middle of a line. */
  write(piece: string): void {
    const lines = (this.#rest + piece).split(/\r?\n/);
    // What is cut from a line without end is not needed to show its beginning.
    this.#rest = (lines.pop() ?? '').slice(0, longestLine + 1);
    for (const line of lines) this.add(line);
  }

  add(line: string): void {
    this.#lines.push(shortened(this.#redact(line)));
    if (this.#lines.length > mostLines) this.#lines.shift();
  }

  all(): string[] {
    return this.#rest === ''
      ? [...this.#lines]
      : [...this.#lines, shortened(this.#redact(this.#rest))].slice(-mostLines);
  }
}

function shortened(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
