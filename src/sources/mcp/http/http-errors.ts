import { messageOf } from '../../../core/errors.ts';
import { ConnectionLost, RemoteError } from '../connection/connection-errors.ts';

/** Failures that come before the first byte is on its way. */
const neverSent = new Set([
  'ECONNREFUSED',
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

/** What a failed `send` says about the request: that it was refused, that it never left, or that nobody knows. */
export function toRequestError(error: unknown, sent: boolean): Error {
  if (error instanceof RemoteError) return error;
  const status = httpStatusOf(error);
  if (status !== undefined && status >= 300 && status < 500 && status !== 408) {
    const message = refusal(status, messageOf(error));
    // It knows nothing of our session, and looked no further.
    return isSessionGone(error)
      ? new ConnectionLost(message, false, { cause: error })
      : new RemoteError(status, message);
  }
  return new ConnectionLost(messageOf(error), sent && !isNeverSent(error), { cause: error });
}

/** Whether the server has forgotten the session, or there is nothing at this address any more. */
function isSessionGone(error: unknown): boolean {
  return httpStatusOf(error) === 404;
}

/** The HTTP status that an error tells of. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // By its name: whoever connects to programs alone does not load the SDK to know its class.
  if (error.name === 'SdkHttpError' && 'status' in error && typeof error.status === 'number') return error.status;
  const told = /\(HTTP (\d{3})\)/.exec(error.message)?.[1];
  return told === undefined ? undefined : Number(told);
}

function refusal(status: number, message: string): string {
  const text = message.replace(/^Error POSTing to endpoint(?: \(HTTP \d+\))?: /, '').slice(0, 500);
  return `the server refused the request with HTTP ${status}${text === '' ? '' : `: ${text}`}`;
}

/** Whether a request failed before anything of it was on its way. */
export function isNeverSent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && neverSent.has(at.code)) return true;
  return false;
}

/** An answer that was not served, of another address than the server's own. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
