import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Answered, Asked } from './ask.ts';
import { PlainAnswer } from './plain-answer.ts';

/** How the bytes of a connection come: always in the same place, where they are read at once. */
export interface OnRead {
  readonly buffer: Uint8Array;
  callback(size: number, buffer: Uint8Array): boolean;
}

/** What a connection needs of who keeps it. */
export interface Keeper {
  readonly largestAnswer: number;
  connect(onread: OnRead): Socket;
  /** It can be used for another call. */
  release(kept: KeptSocket): void;
  /** Has an answer read that is not plain, as it comes on this line. */
  handOver(line: Duplex, answered: Answered): Asked;
  closed(kept: KeptSocket): void;
}

const readAtOnce = 64 * 1024;

/** One connection, with one call at a time. */
export class KeptSocket implements Asked {
  readonly #keeper: Keeper;
  readonly #socket: Socket;
  readonly #answer: PlainAnswer;
  #answered: Answered | undefined;
  /** Where the answer is read by others. */
  #line: Duplex | undefined;
  #byOthers: Asked | undefined;
  #usableUntil = 0;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
    this.#answer = new PlainAnswer(keeper.largestAnswer);
    this.#socket = keeper.connect({
      buffer: Buffer.allocUnsafeSlow(readAtOnce),
      callback: (size, buffer) => this.#read(Buffer.from(buffer.subarray(0, size))),
    });
    this.#socket.on('error', (error) => this.#lose(error));
    this.#socket.on('end', () => this.#lose());
    this.#socket.on('close', () => {
      this.#lose();
      keeper.closed(this);
    });
  }

  /** Whether it can be used again, and then keeps the process alive again. */
  reuse(): boolean {
    if (!this.#socket.writable || performance.now() >= this.#usableUntil) return false;
    this.#socket.ref();
    return true;
  }

  ask(request: string, answered: Answered): void {
    this.#answered = answered;
    this.#socket.write(request);
  }

  destroy(reason?: Error): void {
    if (this.#byOthers === undefined) this.#socket.destroy();
    else this.#byOthers.destroy(reason);
  }

  /** Whether to go on reading. */
  #read(bytes: Buffer): boolean {
    if (this.#line !== undefined) return this.#line.push(bytes);
    const answered = this.#answered;
    if (answered === undefined) {
      // What nobody has asked for would be taken for the answer to the next call.
      this.#socket.destroy();
      return false;
    }
    const reading = this.#answer.read(bytes);
    if (reading === 'more') return true;
    this.#answered = undefined;
    if (reading === 'other') this.#leave(answered);
    else {
      this.#release();
      answered.taken(this.#answer.takeText());
    }
    return true;
  }

  #release(): void {
    const { keepMs } = this.#answer;
    if (keepMs === 0) {
      this.#socket.destroy();
      return;
    }
    this.#usableUntil = performance.now() + keepMs;
    this.#socket.unref();
    this.#keeper.release(this);
  }

  /** Has the answer read from its beginning by who believes to send the request here. */
  #leave(answered: Answered): void {
    const socket = this.#socket;
    this.#line = new Duplex({
      read: () => void socket.resume(),
      write: (_request, _encoding, written) => written(),
      destroy: (error, destroyed) => {
        socket.destroy();
        destroyed(error);
      },
    });
    this.#line.on('finish', () => socket.destroy());
    this.#line.push(this.#answer.takeBytes());
    this.#byOthers = this.#keeper.handOver(this.#line, answered);
  }

  /** The server has closed the connection, or it broke. */
  #lose(error?: Error): void {
    if (this.#line === undefined) this.#socket.destroy();
    else if (error === undefined) this.#line.push(null);
    else this.#line.destroy(error);
    const answered = this.#answered;
    this.#answered = undefined;
    const message = this.#answer.hasBegun ? 'the answer was cut off' : 'socket hang up';
    answered?.failed(error ?? Object.assign(new Error(message), { code: 'ECONNRESET' }));
  }
}
