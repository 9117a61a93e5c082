import type { IncomingMessage } from 'node:http';
import type { Peer } from '../requests/request-context.ts';
import type { RequestId } from '../protocol/wire-messages.ts';
import type { HeaderList, StreamOutlet } from './streams/event-stream.ts';

/** What is looked at of a request, whoever read it: Node, or the server’s short way. */
export type HttpAsk = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/** Where an answer is written to: as much of Node’s response as the endpoint needs. */
export interface HttpReply extends StreamOutlet {
  readonly headersSent: boolean;
  /** Whether it was sent, or nobody can get it any more. */
  readonly closed: boolean;
  writeHead(status: number, headers: HeaderList): HttpReply;
  /** Sends an answer whose headers were given out before, where that saves anything: by the same lists. */
  sendWhole?(status: number, lists: readonly HeaderList[], text: string): void;
  /** What is written from now on leaves together, with the end. */
  cork(): void;
  write(part: string | Uint8Array): unknown;
  end(ended?: () => void): unknown;
  end(last: string | Uint8Array, encoding?: BufferEncoding): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** An authorized request with its body. */
export interface HttpRequest {
  readonly request: HttpAsk;
  readonly response: HttpReply;
  readonly peer: Peer;
  /** The body of a POST. */
  readonly body: string;
  /** Resolves with whether a client that lost its stream would still be authorized. */
  mayReturn(): Promise<boolean>;
  /** Refuses a request; present when the server is overloaded. Notifications and responses are still accepted, because calls wait for them. */
  readonly refuse?: ((id: RequestId | null) => void) | undefined;
}
