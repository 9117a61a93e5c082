import pc from 'picocolors';
import type { Readable, Writable } from 'node:stream';

type Colors = ReturnType<typeof pc.createColors>;

/** The input and output streams of a command. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Printer;
  readonly errors: Printer;
  /** Whether a user can answer questions. */
  readonly canAsk: boolean;
}

/** An output stream of a command. */
export interface Printer {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** The width of the terminal in characters; `undefined` when the stream is not a terminal. */
  readonly width: number | undefined;
  readonly colors: Colors;
  /** Aborted when the reader has closed the stream (`| head`). */
  readonly closed: AbortSignal;
  /** Writes text, and waits until the stream accepts it. Does nothing after `closed`. */
  print(text: string): Promise<void>;
}

type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Returns the standard streams of this process. */
export function processTerminal(): Terminal {
  const output = createPrinter(process.stdout);
  const errors = createPrinter(process.stderr);
  return {
    // A getter, because accessing `process.stdin` opens it, and most commands do not read.
    get input() {
      return process.stdin;
    },
    output,
    errors,
    get canAsk() {
      return errors.isTTY && isTerminal(process.stdin);
    },
  };
}

function createPrinter(stream: OutputStream): Printer {
  const closed = new AbortController();
  const isTTY = isTerminal(stream);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (error.code !== 'EPIPE' && error.code !== 'EOF' && error.code !== 'EIO') throw error;
    closed.abort();
  });
  return {
    stream,
    isTTY,
    get width() {
      // A terminal without a size reports 0 columns.
      return isTTY && stream.columns !== 0 ? stream.columns : undefined;
    },
    colors: pc.createColors(isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'),
    closed: closed.signal,
    print(text) {
      if (closed.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        stream.write(text, () => resolve());
      });
    },
  };
}

/** Returns whether a stream is a terminal. Node omits `isTTY` for other streams. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** Prints a JSON document: indented on a terminal, on one line for programs. */
export function printJson(printer: Printer, value: unknown): Promise<void> {
  return printer.print(`${JSON.stringify(value, undefined, printer.isTTY ? 2 : undefined)}\n`);
}
