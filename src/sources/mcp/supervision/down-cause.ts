import type { SourceState } from '../../../catalog/source/source.ts';
import { httpStatusOf } from '../http/http-errors.ts';

/** Who can help with a server that is down. */
export type DownCause = Pick<NonNullable<SourceState['down']>, 'needsSignIn' | 'isFailing'>;

/** Finds out who can help, by the codes of what failed and of what that came from; words may be the server's own. */
export function downCause(failure: unknown): DownCause {
  for (let at = failure; at instanceof Error; at = at.cause) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (code === 'SIGNALBOX_SIGN_IN_NEEDED') return { needsSignIn: true };
    if ((httpStatusOf(at, code) ?? 0) >= 500) return { isFailing: true };
  }
  return {};
}

/** By names: whoever connects to programs alone loads neither the SDK nor what signs in. */
function httpStatusOf(error: Error, code: unknown): number | undefined {
  if (error.name === 'HttpRefusal' && 'status' in error) return Number(error.status);
  return error.name === 'SseError' && typeof code === 'number' ? code : httpStatusOf(error);
}
