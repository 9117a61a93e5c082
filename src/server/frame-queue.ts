/** Written at a time: what a client does not take lies with us twice, here and in its connection. */
const longestPiece = 64 * 1024;

/** Frames on their way to one client. Who is too far behind is let go: it comes back and goes on from the last one it got. */
export class FrameQueue implements AsyncIterable<string> {
  readonly #most: number;
  #waiting: string[] = [];
  #length = 0;
  #isOver = false;
  #fault: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** Holds as many characters. */
  constructor(most: number, signal: AbortSignal) {
    this.#most = most;
    if (signal.aborted) this.end();
    else signal.addEventListener('abort', () => this.end(), { once: true });
  }

  push(frame: string): void {
    if (this.#isOver) return;
    // Nothing after the gap may be delivered: its id would say that what is missing was received.
    if (this.#length + frame.length > this.#most && this.#waiting.length > 0) return this.end();
    this.#length += frame.length;
    this.#waiting.push(frame);
    this.#wake?.();
  }

  /** What is queued is still delivered. */
  end(fault?: { readonly error: unknown }): void {
    this.#isOver = true;
    this.#fault ??= fault;
    this.#wake?.();
  }

  /** Much of what waits is one piece on the wire: what is written costs by the piece. */
  #piece(): string {
    let length = 0;
    const end = this.#waiting.findIndex((frame) => (length += frame.length) >= longestPiece) + 1;
    const frames = this.#waiting.splice(0, end === 0 ? this.#waiting.length : end).join('');
    this.#length -= frames.length;
    return frames;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      if (this.#waiting.length > 0) {
        yield this.#piece();
        continue;
      }
      if (this.#fault !== undefined) throw this.#fault.error;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
