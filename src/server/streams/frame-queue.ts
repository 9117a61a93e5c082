import { AsyncQueue } from '../../core/async/async-queue.ts';

/** The target length of joined frames. Fewer, larger writes are cheaper, but unread data is held twice. */
const maxChunkLength = 64 * 1024;

/** A queue of frames for one client, joined into chunks. A client that falls too far behind is disconnected, and resumes after its last event. */
export class FrameQueue implements AsyncIterable<string> {
  readonly #maxLength: number;
  readonly #frames = new AsyncQueue<string>();
  /** The length of the frames that were pushed and not read. */
  #length = 0;

  /** Creates a queue of up to `maxLength` characters. */
  constructor(maxLength: number, signal: AbortSignal) {
    this.#maxLength = maxLength;
    if (signal.aborted) this.end();
    else signal.addEventListener('abort', () => this.end(), { once: true });
  }

  push(frame: string): void {
    // Ends the stream, because a later event id would mark the missing events as received.
    if (this.#length > 0 && this.#length + frame.length > this.#maxLength) return this.end();
    this.#length += frame.length;
    this.#frames.push(frame);
  }

  /** Ends the stream after the queued frames. */
  end(): void {
    this.#frames.end();
  }

  /** Ends the stream with an error after the queued frames. */
  fail(error: unknown): void {
    this.#frames.fail(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const frames of this.#frames.batches()) {
      for (const chunk of chunks(frames)) {
        this.#length -= chunk.length;
        yield chunk;
      }
    }
  }
}

function* chunks(frames: readonly string[]): Generator<string> {
  let chunk = '';
  for (const frame of frames) {
    chunk += frame;
    if (chunk.length < maxChunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
