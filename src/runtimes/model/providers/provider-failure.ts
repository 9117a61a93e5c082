import { APICallError, RetryError } from 'ai';
import { messageOf } from '../../../core/errors.ts';
import { type Failure, toFailure } from '../step.ts';

/** The number of retries of a request that may succeed later. */
const maxRetries = 2;
const firstRetryDelayMs = 2000;
/** The longest `Retry-After` that a turn waits for. With a longer one the turn fails and reports the time. */
const maxRetryDelayMs = 60_000;

/** Describes what went wrong between here and the model, with the next step. */
export function toProviderFailure(model: string, thrown: unknown): Failure {
  const error = cause(thrown);
  if (!APICallError.isInstance(error)) return toFailure(model, error);
  const { statusCode, message } = error;
  if (statusCode === undefined)
    return { code: 'model-unreachable', message: `${model} could not be reached: ${message}`, lasting: false };
  // The failure came after the response had begun: the stream was cut or violates the API.
  if (statusCode < 300)
    return {
      code: 'model-failed',
      message: `${model} stopped in the middle of its answer: ${messageOf(innermost(error))}`,
      lasting: false,
    };
  const lasting = !error.isRetryable && statusCode !== 401 && statusCode !== 403;
  return {
    code: codeOf(statusCode),
    message: `${model} answered ${statusCode}: ${message}${hint(statusCode, retryAfterMs(error))}`,
    lasting,
  };
}

/** Returns the delay before the next retry; `undefined` when the request should not be retried. */
export function retryDelayMs(thrown: unknown, retries: number): number | undefined {
  const error = cause(thrown);
  if (retries >= maxRetries || !APICallError.isInstance(error) || !error.isRetryable) return undefined;
  const retryAfter = retryAfterMs(error);
  if (retryAfter === undefined) return firstRetryDelayMs * 2 ** retries;
  return retryAfter > maxRetryDelayMs ? undefined : retryAfter;
}

/** Returns the innermost cause, because the AI SDK wraps connection errors. */
function innermost(error: Error): unknown {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

function cause(thrown: unknown): unknown {
  return RetryError.isInstance(thrown) ? thrown.lastError : thrown;
}

/** Reads `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs({ responseHeaders = {} }: APICallError): number | undefined {
  const given = responseHeaders['retry-after-ms'];
  if (given !== undefined && Number.isFinite(Number(given))) return Math.max(0, Number(given));
  const after = responseHeaders['retry-after'];
  if (after === undefined) return undefined;
  const ms = Number.isFinite(Number(after)) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'model-unauthorized';
  if (status === 429 || status === 529) return 'model-overloaded';
  return status >= 500 ? 'model-failed' : 'model-refused';
}

function hint(status: number, waitMs: number | undefined): string {
  if (status === 401 || status === 403) return ' (check the key and what it may use)';
  if (status === 404) return ' (check the model’s name)';
  if (waitMs !== undefined && waitMs > maxRetryDelayMs) return ` (try again in ${waitText(waitMs)})`;
  return status === 429 || status === 529 ? ' (try again later)' : '';
}

function waitText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
