import type { Registry } from 'prom-client';
import type { CallMetrics } from '../../pipeline/recording/telemetry.ts';
import type { OnShed } from '../http/admission.ts';
import type { CallCounters } from './prometheus-registry.ts';

/** Counts and times calls for Prometheus. Give `metrics` to `createSignalbox` and the whole to `startServer`. */
export interface PrometheusMetrics {
  readonly metrics: CallMetrics;
  /** Counts the calls that were not let in. */
  readonly shed: OnShed;
  /** Everything that was counted. */
  registry(): Promise<Registry>;
}

/** Counts from the first call on. What does it is loaded with the first call, or when somebody looks: no start waits for it. */
export function createPrometheusMetrics(): PrometheusMetrics {
  let loading: Promise<CallCounters> | undefined;
  let counted: CallCounters | undefined;
  const load = (): Promise<CallCounters> =>
    (loading ??= import('./prometheus-registry.ts').then(({ createCallCounters }) => (counted = createCallCounters())));
  const count = (one: (calls: CallCounters) => void): void => {
    if (counted === undefined) void load().then(one);
    else one(counted);
  };
  return {
    metrics: {
      callStarted: () => count(({ metrics }) => metrics.callStarted()),
      callEnded: (call) => count(({ metrics }) => metrics.callEnded(call)),
    },
    shed: (reason) => count(({ shed }) => shed(reason)),
    registry: async () => (await load()).registry,
  };
}
