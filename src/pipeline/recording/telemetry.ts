import type * as Telemetry from '@opentelemetry/api';
import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import { createRequire } from 'node:module';

/** Receives counts and durations of calls. The host implements it with its own meter. */
export interface CallMetrics {
  callStarted(): void;
  callEnded(call: {
    readonly server: string;
    readonly tool: string;
    readonly outcome: OutcomeName;
    readonly seconds: number;
  }): void;
}

const require = createRequire(import.meta.url);
/** Under this name every copy of the API finds what was registered with any other. */
const registered = Symbol.for('opentelemetry.js.api.1');
let loaded: typeof Telemetry | undefined;

/** OpenTelemetry, once something in this process has registered with it. Until then nobody listens, and it is not even loaded. */
export function telemetry(): typeof Telemetry | undefined {
  if (!(registered in globalThis)) return undefined;
  return (loaded ??= require('@opentelemetry/api') as typeof Telemetry);
}
