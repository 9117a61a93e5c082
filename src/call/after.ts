import type { CallOutcome } from '../model/call.ts';
import type { Outcoming } from './call.ts';

/** Goes on with an outcome, at once where it is there: an `async` stage would cost every call a frame and two promises. */
export function after(outcome: Outcoming, go: (ended: CallOutcome) => Outcoming): Outcoming {
  return outcome instanceof Promise ? outcome.then(go) : go(outcome);
}
