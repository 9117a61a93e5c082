import { Writable } from 'node:stream';
import type { RelayCaller } from '../relay.ts';

/** A stream that is written to the client by another process, to which the client came back. */
export class RelayedStream extends Writable {
  readonly #tell: (text: string) => void;

  constructor({ tell, signal }: RelayCaller) {
    super({ decodeStrings: false, signal });
    this.#tell = tell;
    // Ended by the signal, it says so as an error, which nobody needs to hear.
    this.on('error', () => undefined);
  }

  writeHead(): this {
    return this;
  }

  flushHeaders(): void {}

  override _write(text: string, _encoding: BufferEncoding, written: () => void): void {
    this.#tell(text);
    written();
  }
}
