import type { Principal } from '../core/calls/call.ts';
import type { CallOutcome } from 'src/core/calls/call-outcome.ts';

/** A call that went another way than through the pipeline, as somebody saw it. */
export interface ObservedCall {
  /** The rendered name of the tool. */
  readonly tool: string;
  readonly server: string;
  /** How the tool was reached: `mcp:files`. */
  readonly adapter: string;
  readonly principal: Principal;
  readonly session?: string;
  readonly arguments: unknown;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}
