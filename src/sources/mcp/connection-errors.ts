import { type JsonValue, isJsonObject } from '../../model/json.ts';

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
    super(`${message} (${code})${pagesToOpen(code, data)}`, options);
    this.code = code;
    this.data = data;
  }
}

/** The server's process ended by itself before it had shaken hands. */
export class ServerCrashed extends Error {
  override readonly name = 'ServerCrashed';
}

const maxPages = 5;
const maxAddressLength = 2000;

/** Returns text that names the pages of error -32042, which the user has to open before the request is sent again. */
export function pagesToOpen(code: number, data: JsonValue | undefined): string {
  const elicitations = code === -32_042 && isJsonObject(data) ? data['elicitations'] : undefined;
  const addresses = (Array.isArray(elicitations) ? (elicitations as readonly JsonValue[]) : [])
    .map((elicitation) => (isJsonObject(elicitation) ? elicitation['url'] : undefined))
    .filter((url): url is string => typeof url === 'string')
    .filter((url) => url.length <= maxAddressLength && /^https?:\/\/\S+$/.test(url))
    .slice(0, maxPages);
  return addresses.length === 0 ? '' : `; open ${addresses.join(' and ')}, then call again`;
}
