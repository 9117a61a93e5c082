const newline = 10;

/** Handlers of a message reader. */
export interface MessageReaderOptions {
  readonly maxMessageBytes: number;
  onMessage(message: object): void;
  /** Parses a line, and throws when it is invalid (default `JSON.parse`). */
  readonly parse?: (line: string) => unknown;
  /** Called with a line that is not a message, as programs print them, and with the parse error. */
  onNoise(line: string, error: unknown): void;
  onTooLarge(): void;
}

/** Splits a byte stream into JSON messages, one on each line. Reads each byte once, however long the message is. */
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
