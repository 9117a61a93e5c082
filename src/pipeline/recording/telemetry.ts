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
/** The key under which all copies of the API share their registration. */
const registered = Symbol.for('opentelemetry.js.api.1');
let loaded: typeof Telemetry | undefined;

/** Returns OpenTelemetry once a provider is registered in this process. Until then it is not loaded. */
export function telemetry(): typeof Telemetry | undefined {
  if (!(registered in globalThis)) return undefined;
  return (loaded ??= require('@opentelemetry/api') as typeof Telemetry);
}
