import type { CallResult } from '../../core/calls/call.ts';
import { allText } from '../result-content.ts';

/** A call that did not complete, as the AI SDK wants to hear of it. Its message is what the model reads. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly result: CallResult;

  constructor(result: CallResult) {
    super(allText(result));
    this.result = result;
  }

  /** The AI SDK tells this to the model. */
  override toString(): string {
    return this.message;
  }
}
