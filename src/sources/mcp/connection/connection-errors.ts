import { messageOf } from '../../../core/errors.ts';
import { type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { RpcError } from '../../../core/tools/source-errors.ts';

/** The link to the server was lost before a response arrived. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
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

/** The server's process exited before the handshake completed. */
export class ServerCrashedError extends Error {
  override readonly name = 'ServerCrashedError';
}

/** Converts the error of a failed `send`. `sent`: whether the request may have reached the server. */
export function toRequestError(error: unknown, sent: boolean): Error {
  return error instanceof RemoteError ? error : new ConnectionLostError(messageOf(error), sent, { cause: error });
}

const internalError = -32_603;
const pageRequired = -32_042;
const maxPages = 5;
const maxAddressLength = 2000;

/** Returns text that names the pages of error -32042, which the user has to open before the request is sent again. */
function pagesToOpen(code: number, data: JsonValue | undefined): string {
  const elicitations = code === pageRequired && isJsonObject(data) ? data['elicitations'] : undefined;
  const addresses = (Array.isArray(elicitations) ? (elicitations as readonly JsonValue[]) : [])
    .map((elicitation) => (isJsonObject(elicitation) ? elicitation['url'] : undefined))
    .filter(isWebAddress)
    .filter((url) => url.length <= maxAddressLength && /^\S+$/.test(url))
    .slice(0, maxPages);
  return addresses.length === 0 ? '' : `; open ${addresses.join(' and ')}, then call again`;
}

/** Returns whether a value is an absolute http or https URL: the only addresses that a server may have a user open. */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/**
 * Converts the error of a server's response. A code that is not a safe integer becomes -32603, because clients reject the response.
 * Error -32042 keeps only the pages that have a web address; when none has, it becomes -32603.
 */
export function remoteError(error: unknown): RemoteError {
  const { code: sent, message: given, data } = isJsonObject(error) ? error : {};
  const code = typeof sent === 'number' && Number.isSafeInteger(sent) ? sent : internalError;
  const message = typeof given === 'string' ? given : '';
  const elicitations = code === pageRequired && isJsonObject(data) ? data['elicitations'] : undefined;
  if (!isJsonObject(data) || elicitations === undefined) return withCause(code, message, data);
  const all = Array.isArray(elicitations) ? (elicitations as readonly JsonValue[]) : [elicitations];
  const pages = all.filter((each) => isJsonObject(each) && isWebAddress(each['url']));
  if (pages.length === all.length) return withCause(code, message, data);
  if (pages.length > 0) return withCause(code, message, { ...data, elicitations: pages });
  const problem = 'the server requires the user to open a URL that is not a web page';
  return withCause(internalError, message === '' ? problem : `${message}; ${problem}`, undefined);
}

function withCause(code: number, message: string, data: JsonValue | undefined): RemoteError {
  const cause = new RpcError(code, `${message}${pagesToOpen(code, data)}`, data);
  return new RemoteError(code, message === '' ? 'an error without a message' : message, data, { cause });
}
