import { AsyncQueue } from '../../core/async/async-queue.ts';

/** Characters that are joined to one piece on the wire: what is written costs by the piece, and what a client does not take is held twice. */
const maxPiece = 64 * 1024;

/**
 * Frames on their way to one client, joined to pieces. A client that is too far behind is disconnected: it comes back and goes on
 * from the last frame it got.
 */
export class FrameQueue implements AsyncIterable<string> {
  readonly #most: number;
  readonly #frames = new AsyncQueue<string>();
  /** Characters that were pushed and not read. */
  #length = 0;

  /** Holds as many characters. */
  constructor(most: number, signal: AbortSignal) {
    this.#most = most;
    if (signal.aborted) this.end();
    else signal.addEventListener('abort', () => this.end(), { once: true });
  }

  push(frame: string): void {
    // Nothing after the gap may be delivered: its id would say that what is missing was received.
    if (this.#length > 0 && this.#length + frame.length > this.#most) return this.end();
    this.#length += frame.length;
    this.#frames.push(frame);
  }

  /** Ends the stream after the frames that wait. */
  end(): void {
    this.#frames.end();
  }

  /** Ends the stream with an error after the frames that wait. */
  fail(error: unknown): void {
    this.#frames.fail(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const frames of this.#frames.batches()) {
      for (const piece of pieces(frames)) {
        this.#length -= piece.length;
        yield piece;
      }
    }
  }
}

function* pieces(frames: readonly string[]): Generator<string> {
  let piece = '';
  for (const frame of frames) {
    piece += frame;
    if (piece.length < maxPiece) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
