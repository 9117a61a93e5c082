import { SignalboxError } from '../../../core/errors.ts';
import { newId } from '../../../core/identifiers.ts';
import { JsonRejectedError } from '../../../core/json/read-json.ts';
import { Refusal, WireError, wireCodes } from './wire-messages.ts';

/**
 * Converts a thrown value to the error for the client. An unexpected error is logged under an id, and the client gets only the id, because
 * its message and stack may contain private data.
 */
export function toWireError(error: unknown, log: (line: string) => void): WireError {
  if (error instanceof WireError) return error;
  if (error instanceof JsonRejectedError)
    return new Refusal(400, error.kind === 'too-complex' ? wireCodes.request : wireCodes.parse, error.message);
  // The error of the store may name its location.
  if (error instanceof SignalboxError && error.code === 'store-unavailable')
    return new Refusal(503, wireCodes.server, 'the store is unavailable; try again later');
  if (error instanceof SignalboxError) return new WireError(wireCodes.server, error.message);
  const fault = newId('fault');
  log(`${fault}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new WireError(wireCodes.internal, `internal error in Signalbox; its log has the details under ${fault}`);
}
