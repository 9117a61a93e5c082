import type { OutcomeName } from 'src/core/calls/call-outcome.ts';

/** Where calls are counted and timed; the host brings its own meter. */
export interface CallMetrics {
  callStarted(): void;
  callEnded(call: {
    readonly server: string;
    readonly tool: string;
    readonly outcome: OutcomeName;
    readonly seconds: number;
  }): void;
}
