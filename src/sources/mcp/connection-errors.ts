import type { JsonValue } from '../../model/json.ts';

/** The way to the server broke before an answer came. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** Whether the request may have reached the server. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.sent = sent;
  }
}

/** An error of the protocol, by which one side answers a request of the other. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue, options?: ErrorOptions) {
    super(`${message} (${code})`, options);
    this.code = code;
    this.data = data;
  }
}

/** The server's process ended by itself before it had shaken hands. */
export class ServerCrashed extends Error {
  override readonly name = 'ServerCrashed';
}
