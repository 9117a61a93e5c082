import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { RecentLines } from '../../../process/recent-lines.ts';
import { describeExit, explainStart } from '../../../process/explain-process.ts';
import { MessageReader } from '../../../process/message-reader.ts';
import { ProcessGroup, type ProgramOptions } from '../../../process/process-group.ts';
import { alreadyWritten } from '../connection/rpc-channel.ts';

/** Options of a stdio transport. */
export interface StdioTransportOptions extends ProgramOptions {
  readonly maxMessageBytes: number;
  /** Receives the error output of the server. */
  readonly lines: RecentLines;
}

interface Outgoing {
  readonly line: string;
  readonly signal: Pick<AbortSignal, 'aborted'> | undefined;
  sent(): void;
  failed(error: Error): void;
}

/** Bytes written ahead of a server that does not read. Further messages wait in a queue, where they can be cancelled. */
const maxBufferedBytes = 1024 * 1024;

/**
 * MCP over the standard streams of a process. The SDK's own transport leaves grandchildren running, limits messages to 10 MB and has no
 * backpressure.
 */
export class StdioTransport implements Transport {
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  /** The SDK recognizes a process by `stderr` and `pid`, and gives its probe more time. */
  readonly stderr = null;
  pid: number | null = null;
  /** The reason why the transport closed. */
  closeReason: string | undefined;

  readonly #options: StdioTransportOptions;
  #group: ProcessGroup | undefined;
  readonly #waiting: Outgoing[] = [];
  /** Messages of this turn of the event loop, which are written together at its end. */
  #batch = '';
  /** Number of messages in this turn. */
  #sent = 0;
  /** Whether the last turn with messages had several: then the first message waits for the others. */
  #isBusy = false;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  /** Starts the server. Calls after the first have no effect, because the SDK's client starts a running transport again. */
  start(): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new Error('it was closed before it was started'));
    return (this.#starting ??= this.#start());
  }

  #start(): Promise<void> {
    const group = new ProcessGroup(this.#options);
    this.#group = group;
    const { child } = group;
    this.pid = child.pid ?? null;
    this.#read(group);
    child.stdin.on('drain', () => this.#writeMore());
    // The exit of the server says more than EPIPE.
    child.stdin.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      // Its last output may still be in the pipe.
      const end = (): void => this.#closed(describeExit(code, signal));
      if (child.stdout.readableEnded) end();
      else {
        child.stdout.once('close', end);
        void group.ended.then(end);
      }
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => {
        const why = new Error(explainStart(this.#options, error), { cause: error });
        this.#closed(why.message);
        reject(why);
      });
    });
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.closeReason !== undefined) return Promise.reject(new Error(this.closeReason));
    const line = `${JSON.stringify(message)}\n`;
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#write(line);
      return alreadyWritten;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, signal: options?.requestSignal, sent: resolve, failed: reject });
    });
  }

  /** Stops the server, first gracefully, then by force. Resolves when its process group has exited. */
  close(): Promise<void> {
    this.#closing ??= (this.#group?.stop() ?? Promise.resolve()).then(() => this.#closed('it was closed'));
    return this.#closing;
  }

  #read({ child }: ProcessGroup): void {
    const reader = new MessageReader({
      maxMessageBytes: this.#options.maxMessageBytes,
      onMessage: (message) => this.onmessage?.(message as JSONRPCMessage),
      onNoise: (line) => this.#options.lines.add(`(on standard output) ${line.slice(0, 500)}`),
      onTooLarge: () =>
        this.#fail(`it sent a message of more than ${Math.round(this.#options.maxMessageBytes / 1024 / 1024)} MB`),
    });
    child.stdout.on('data', (chunk: Buffer) => reader.read(chunk));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => this.#options.lines.write(piece));
    child.stdout.on('error', () => undefined);
    child.stderr.on('error', () => undefined);
  }

  #fail(why: string): void {
    this.#closed(why);
    void this.#group?.kill();
  }

  #closed(why: string): void {
    if (this.closeReason !== undefined) return;
    this.closeReason = why;
    for (const outgoing of this.#waiting.splice(0)) outgoing.failed(new Error(why));
    this.onclose?.();
  }

  #hasRoom(): boolean {
    return (this.#group?.child.stdin.writableLength ?? 0) + this.#batch.length < maxBufferedBytes;
  }

  #write(line: string): void {
    this.#sent += 1;
    if (this.#sent === 1) setImmediate(this.#flush);
    if (this.#sent > 1 || this.#isBusy) this.#batch += line;
    else this.#group?.child.stdin.write(line);
  }

  readonly #flush = (): void => {
    this.#isBusy = this.#sent > 1;
    this.#sent = 0;
    if (this.#batch === '') return;
    this.#group?.child.stdin.write(this.#batch);
    this.#batch = '';
  };

  #writeMore(): void {
    while (this.#hasRoom()) {
      const outgoing = this.#waiting.shift();
      if (outgoing === undefined) return;
      if (outgoing.signal?.aborted === true) {
        outgoing.failed(new Error('the request was cancelled before it was sent'));
        continue;
      }
      this.#write(outgoing.line);
      outgoing.sent();
    }
  }
}
