import { messageOf } from '../../../core/errors.ts';
import { ConnectionLostError, RemoteError, toRequestError } from '../connection/connection-errors.ts';

/** Codes of errors that occur before the first byte is sent. */
const notSentCodes = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'SIGNALBOX_ADDRESS',
  'SIGNALBOX_NOT_AUTHORIZED',
  'SIGNALBOX_SIGN_IN_NEEDED',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Converts the error of a failed `send`: to a `RemoteError` when the server refused the request, else to a `ConnectionLostError`. */
export function toHttpRequestError(error: unknown, sent: boolean): Error {
  const status = error instanceof RemoteError ? undefined : httpStatusOf(error);
  if (status === undefined || status < 300 || status >= 500 || status === 408)
    return toRequestError(error, sent && !isNeverSent(error));
  const message = refusal(status, messageOf(error));
  // The server has forgotten the session or is no longer at this URL, so it did not process the request.
  return status === 404 ? new ConnectionLostError(message, false, { cause: error }) : new RemoteError(status, message);
}

/** Returns the HTTP status that an error carries. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // By name, so that the SDK is not loaded where only programs are connected.
  if (error.name === 'SdkHttpError' && 'status' in error && typeof error.status === 'number') return error.status;
  const status = /\(HTTP (\d{3})\)/.exec(error.message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function refusal(status: number, message: string): string {
  const text = message.replace(/^Error POSTing to endpoint(?: \(HTTP \d+\))?: /, '').slice(0, 500);
  return `the server refused the request with HTTP ${status}${text === '' ? '' : `: ${text}`}`;
}

/** Returns the error of a response, or of one of its events, that exceeds the size limit. */
export function tooLarge(part: 'the response' | 'an event of the response', maxBytes: number): Error {
  return new Error(`${part} is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`);
}

/** Returns whether a request failed before anything was sent. */
function isNeverSent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && notSentCodes.has(at.code)) return true;
  return false;
}

/** Returns whether another handshake would fail for the same reason: the server cannot be reached, or it refuses the credentials. */
export function isFinalHttpError(error: unknown): boolean {
  const status = httpStatusOf(error);
  return isNeverSent(error) || status === 401 || status === 403;
}

/** An HTTP error status of an authorization server or a metadata URL. */
export class HttpRefusalError extends Error {
  override readonly name = 'HttpRefusalError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
