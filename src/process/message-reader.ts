const newline = 10;

/** What to do with what is read. */
export interface MessageReaderOptions {
  readonly maxMessageBytes: number;
  onMessage(message: object): void;
  /** Reads a line, and throws when it cannot be taken (`JSON.parse`). */
  readonly parse?: (line: string) => unknown;
  /** A line that is no message: programs that print to their output do that. Why it could not be read, where that is so. */
  onNoise(line: string, error: unknown): void;
  onTooLarge(): void;
}

/** Cuts a byte stream into JSON messages, one on each line. Each byte is looked at once, however long the message. */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#line(chunk, start, end);
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#parts.push(start === 0 ? chunk : chunk.subarray(start));
    this.#size += chunk.length - start;
    if (this.#size > this.#options.maxMessageBytes) this.#tooLarge();
  }

  #line(chunk: Buffer, start: number, end: number): void {
    if (this.#size + end - start > this.#options.maxMessageBytes) {
      this.#tooLarge();
      return;
    }
    if (this.#parts.length === 0) {
      this.#message(chunk.toString('utf8', start, end));
      return;
    }
    const whole = Buffer.concat([...this.#parts, chunk.subarray(start, end)]);
    this.#forget();
    this.#message(whole.toString('utf8'));
  }

  #message(line: string): void {
    const { parse = JSON.parse } = this.#options;
    let message: unknown;
    let thrown: unknown;
    try {
      message = parse(line);
    } catch (error) {
      thrown = error;
    }
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) this.#options.onMessage(message);
    else if (line.trim() !== '') this.#options.onNoise(line, thrown);
  }

  #tooLarge(): void {
    this.#forget();
    this.#options.onTooLarge();
  }

  #forget(): void {
    this.#parts = [];
    this.#size = 0;
  }
}
