import { SignalboxError, messageOf } from '../../core/errors.ts';

/** Why the model gave no answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The same request would fail again: what was asked must not be asked once more with every turn to come. */
  readonly lasting: boolean;
}

/** What went wrong that no provider told of. */
export function unexpected(model: string, error: unknown): Failure {
  if (error instanceof SignalboxError) return { code: error.code, message: error.message, lasting: false };
  return { code: 'model-failed', message: `${model} failed: ${messageOf(error)}`, lasting: false };
}
