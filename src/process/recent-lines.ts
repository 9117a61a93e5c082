const maxLines = 200;
const maxLineLength = 2048;

/** The last lines of a server's error output. */
export class RecentLines {
  readonly #lines: string[] = [];
  readonly #redact: (text: string) => string;
  #rest = '';

  /** `redact` removes secrets. */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
  }

  /** Adds a piece of a stream, which may end in the middle of a line. */
  write(piece: string): void {
    const lines = (this.#rest + piece).split(/\r?\n/);
    // Only the beginning of an endless line is shown.
    this.#rest = (lines.pop() ?? '').slice(0, maxLineLength + 1);
    for (const line of lines) this.add(line);
  }

  add(line: string): void {
    this.#lines.push(shortened(this.#redact(line)));
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  all(): string[] {
    return this.#rest === ''
      ? [...this.#lines]
      : [...this.#lines, shortened(this.#redact(this.#rest))].slice(-maxLines);
  }
}

function shortened(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}
