import type { SourceState } from '../../../catalog/source/source.ts';
import { httpStatusOf } from '../http/http-errors.ts';

/** Flags for who can repair a server that is down: the user by signing in, or its operator. */
export type DownCause = Pick<NonNullable<SourceState['down']>, 'needsSignIn' | 'isFailing'>;

/** Classifies a failure by the error codes in its chain of causes. Messages are not used, since the server may have written them. */
export function downCause(failure: unknown): DownCause {
  for (let at = failure; at instanceof Error; at = at.cause) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (code === 'SIGNALBOX_SIGN_IN_NEEDED') return { needsSignIn: true };
    if ((statusIn(at, code) ?? 0) >= 500) return { isFailing: true };
  }
  return {};
}

/** Compares names instead of classes, so that neither the SDK nor OAuth is loaded where only programs are connected. */
function statusIn(error: Error, code: unknown): number | undefined {
  if (error.name === 'HttpRefusal' && 'status' in error) return Number(error.status);
  return error.name === 'SseError' && typeof code === 'number' ? code : httpStatusOf(error);
}
