import type { IncomingMessage, RequestOptions } from 'node:http';

/** A request on its way, which can be ended. */
export interface Asked {
  destroy(reason?: Error): void;
}

/** Makes a request, and tells once what comes of it. Headers that are a list are sent as they are, and say the host. */
export type Ask = (
  request: Pick<RequestOptions, 'method' | 'headers' | 'signal' | 'agent' | 'createConnection'>,
  body: string | undefined,
  answered: (incoming: IncomingMessage) => void,
  failed: (error: Error) => void,
) => Asked;

/** Who hears what comes of a call: one of these, once. */
export interface Answered {
  /** The text of a JSON document. */
  taken(text: string): void;
  /** Any other answer. */
  left(incoming: IncomingMessage): void;
  failed(error: Error): void;
}
