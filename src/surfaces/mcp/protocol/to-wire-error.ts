import { SignalboxError } from '../../../core/errors.ts';
import { newId } from '../../../core/identifiers.ts';
import { JsonRejectedError } from '../../../core/json/read-json.ts';
import { Refusal, WireError, wireCodes } from './wire-messages.ts';

/**
 * What a client is told of something that was thrown. What is not expected is logged under an id, and the client learns only
 * the id: messages and stacks may hold what is not theirs to see.
 */
export function toldError(error: unknown, log: (line: string) => void): WireError {
  if (error instanceof WireError) return error;
  if (error instanceof JsonRejectedError)
    return new Refusal(400, error.kind === 'too-complex' ? wireCodes.request : wireCodes.parse, error.message);
  // Where the records are is not for clients to know; nothing is wrong with what they asked.
  if (error instanceof SignalboxError && error.code === 'store-unavailable')
    return new Refusal(503, wireCodes.server, 'the records cannot be reached; try again later');
  if (error instanceof SignalboxError) return new WireError(wireCodes.server, error.message);
  const fault = newId('fault');
  log(`${fault}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new WireError(
    wireCodes.internal,
    `something went wrong inside Signalbox; its output tells more under ${fault}`,
  );
}
