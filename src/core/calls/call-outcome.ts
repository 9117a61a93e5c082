import { text, type ContentBlock } from '../tools/content.ts';
import type { CallErrorCode } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';

/** The reason why a call did not complete. */
export interface CallError {
  readonly code: CallErrorCode;
  readonly message: string;
  /** The capabilities that the caller lacks, as MCP describes them. Present when the call failed for this reason. */
  readonly required?: JsonObject;
  /** The JSON-RPC error by which an MCP server answered the call; its message is `message`. */
  readonly rpc?: { readonly code: number; readonly data?: JsonValue };
}

/** Parts of a tool's result that pass to the caller unchanged and that models do not read. */
export interface ResultExtras {
  readonly _meta?: JsonObject;
  /** Result fields that this version of Signalbox does not know. */
  readonly fields?: JsonObject;
}

/** The outcome of a call. A model reads `content`; when that is empty, `structuredContent` or the error message. */
export type CallOutcome =
  | (ResultExtras & {
      readonly outcome: 'completed';
      readonly content: readonly ContentBlock[];
      readonly structuredContent?: JsonValue;
      readonly error?: never;
    })
  | (ResultExtras & {
      readonly outcome: 'failed' | 'denied' | 'awaiting-approval' | 'timed-out' | 'cancelled' | 'stale' | 'unknown';
      readonly error: CallError;
      /** The approval that the call waits for. */
      readonly approvalId?: string;
      readonly content: readonly ContentBlock[];
      readonly structuredContent?: JsonValue;
    });

/** The name of an outcome. */
export type OutcomeName = CallOutcome['outcome'];

/** Returns an outcome other than `completed`. Its message is also the content that a model reads. */
export function failedOutcome(
  outcome: Exclude<CallOutcome['outcome'], 'completed'>,
  code: CallErrorCode,
  message: string,
): Exclude<CallOutcome, { outcome: 'completed' }> {
  return { outcome, error: { code, message }, content: [text(message)] };
}
