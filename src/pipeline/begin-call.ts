import type { CallOptions, CallResult } from '../core/calls/call.ts';
import type { CallId } from '../core/identifiers.ts';
import type { ContentBlock } from '../core/tools/content.ts';
import type { JsonObject } from '../core/json/json.ts';

/** Options of a call that its caller runs itself. */
export interface BeginOptions extends CallOptions {
  /** The directories that the call may write to, for checkpoints and undo. */
  readonly workspace?: readonly string[] | undefined;
}

/** The result of a call that its caller ran itself. */
export interface ExternalResult {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** The tool's output, or its error message. Ignored when the call was cancelled. */
  readonly content: readonly ContentBlock[];
}

/** A call that may run now, or the reason why it may not. */
export type BeginResult =
  | {
      readonly allowed: true;
      /** The call that runs. Differs from the call that was begun when a human edited the arguments. */
      readonly callId: CallId;
      /** The arguments to run with. */
      readonly arguments: JsonObject;
      /** Records the result; only the first one counts. Resolves with the recorded outcome, after any required rollback. */
      end(result: ExternalResult): Promise<CallResult>;
    }
  | { readonly allowed: false; readonly result: CallResult };

type StartedRun = Pick<Extract<BeginResult, { allowed: true }>, 'callId' | 'arguments'>;

/** A run of a tool by the caller of the pipeline. The `execute` stage starts it and waits for its end. */
export class ExternalRun {
  readonly workspace: readonly string[] | undefined;
  readonly #started = Promise.withResolvers<StartedRun>();
  readonly #ended = Promise.withResolvers<ExternalResult>();

  constructor(workspace: readonly string[] | undefined) {
    this.workspace = workspace;
  }

  /** Resolves when the call is allowed to run; never resolves when it is not. */
  get started(): Promise<StartedRun> {
    return this.#started.promise;
  }

  /** Lets the caller run the tool; resolves with the result that it reports. */
  start(run: StartedRun): Promise<ExternalResult> {
    this.#started.resolve(run);
    return this.#ended.promise;
  }

  end(result: ExternalResult): void {
    this.#ended.resolve(result);
  }
}

/**
 * Resolves when the pipeline lets the caller run the tool, or when the call has ended before. By then the call is decided, approved
 * and checkpointed, and its intent is recorded. It stays open until `end`, its deadline or its signal.
 */
export async function beginCall(run: ExternalRun, result: Promise<CallResult>): Promise<BeginResult> {
  const begun = await Promise.race([run.started, result]);
  if ('outcome' in begun) return { allowed: false, result: begun };
  return {
    allowed: true,
    ...begun,
    end(ended) {
      run.end(ended);
      return result;
    },
  };
}
