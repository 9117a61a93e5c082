import { APICallError, RetryError } from 'ai';
import { type Failure, unexpected } from './failure.ts';

/** What went wrong on the way to a model or at it, in words and with what to do next. */
export function failureOf(model: string, thrown: unknown): Failure {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (!APICallError.isInstance(error)) return unexpected(model, error);
  const { statusCode, message } = error;
  if (statusCode === undefined)
    return { code: 'model-unreachable', message: `${model} could not be reached: ${message}`, lasting: false };
  const lasting = !error.isRetryable && statusCode !== 401 && statusCode !== 403;
  return {
    code: codeOf(statusCode),
    message: `${model} answered ${statusCode}: ${message}${hint(statusCode)}`,
    lasting,
  };
}

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'model-unauthorized';
  if (status === 429 || status === 529) return 'model-overloaded';
  return status >= 500 ? 'model-failed' : 'model-refused';
}

function hint(status: number): string {
  if (status === 401 || status === 403) return ' (check the key and what it may use)';
  if (status === 404) return ' (check the model’s name)';
  return status === 429 || status === 529 ? ' (try again later)' : '';
}
