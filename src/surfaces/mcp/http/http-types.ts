import type { IncomingMessage } from 'node:http';
import type { Peer } from '../requests/request-context.ts';
import type { RequestId } from '../protocol/wire-messages.ts';
import type { HeaderList, StreamOutlet } from './streams/event-stream.ts';

/** The part of a request that the endpoint reads. Comes from Node or from the server’s fast path. */
export type HttpRequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/** The part of Node’s response that the endpoint uses. */
export interface HttpResponse extends StreamOutlet {
  readonly headersSent: boolean;
  /** Whether the response was sent or its connection closed. */
  readonly closed: boolean;
  writeHead(status: number, headers: HeaderList): HttpResponse;
  /** Sends a whole response. The same header lists are passed every time, so that an implementation can cache their bytes. */
  sendWhole?(status: number, lists: readonly HeaderList[], text: string): void;
  /** Buffers writes until the end. */
  cork(): void;
  write(part: string | Uint8Array): unknown;
  end(ended?: () => void): unknown;
  end(last: string | Uint8Array, encoding?: BufferEncoding): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** An authorized request with its body. */
export interface AuthorizedRequest {
  readonly request: HttpRequestHead;
  readonly response: HttpResponse;
  readonly peer: Peer;
  /** The body of a POST. */
  readonly body: string;
  /** Resolves with whether a client that lost its stream would still be authorized. */
  mayReturn(): Promise<boolean>;
  /** Refuses a request; present when the server is overloaded. Notifications and responses are still accepted, because calls wait for them. */
  readonly refuse?: ((id: RequestId | null) => void) | undefined;
}
