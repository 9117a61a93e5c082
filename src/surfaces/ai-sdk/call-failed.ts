import type { CallResult } from '../../core/calls/call.ts';
import { allText } from '../result-content.ts';

/** A call that did not complete, as an error for the AI SDK. The model reads its message. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly result: CallResult;

  constructor(result: CallResult) {
    super(allText(result));
    this.result = result;
  }

  /** The AI SDK sends this text to the model. */
  override toString(): string {
    return this.message;
  }
}
