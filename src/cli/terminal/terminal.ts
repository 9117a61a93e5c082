import pc from 'picocolors';
import type { Readable, Writable } from 'node:stream';

type Colors = ReturnType<typeof pc.createColors>;

/** Where a command reads and writes. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Printer;
  readonly errors: Printer;
  /** A human sits there and can answer a question. */
  readonly canAsk: boolean;
}

/** One of the two streams a command writes to. */
export interface Printer {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** How many characters fit on a line; `undefined` when it is not a terminal, and nothing needs to fit. */
  readonly width: number | undefined;
  readonly colors: Colors;
  /** Aborted when nobody reads any more (`| head`). */
  readonly closed: AbortSignal;
  /** Writes, and waits while the reader is slower than we are. Does nothing when nobody reads any more. */
  print(text: string): Promise<void>;
}

type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The terminal, or the pipes, that this process was started with. */
export function processTerminal(): Terminal {
  const output = printer(process.stdout);
  const errors = printer(process.stderr);
  return {
    // Opened when somebody reads: most commands do not.
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

function printer(stream: OutputStream): Printer {
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
      // A terminal that nobody has sized says 0.
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

/** Node leaves the property out where there is no terminal. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** Prints one document: readable on a terminal, on one line for programs. */
export function printJson(printer: Printer, value: unknown): Promise<void> {
  return printer.print(`${JSON.stringify(value, undefined, printer.isTTY ? 2 : undefined)}\n`);
}
