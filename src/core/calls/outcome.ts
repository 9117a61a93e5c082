import type { CallOutcome } from './call.ts';
import { text } from '../tools/content.ts';
import type { CallErrorCode } from '../errors.ts';

/** An outcome other than `completed`, with the message as the content a model reads. */
export function unfinished(
  outcome: Exclude<CallOutcome['outcome'], 'completed'>,
  code: CallErrorCode,
  message: string,
): Exclude<CallOutcome, { outcome: 'completed' }> {
  return { outcome, error: { code, message }, content: [text(message)] };
}
