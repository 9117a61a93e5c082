import type { Registry } from 'prom-client';
import type { CallMetrics } from '../../pipeline/stages/observe.ts';
import type { OnShed } from '../http/admission.ts';
import type { createCallCounters } from './prometheus-registry.ts';

type CallCounters = ReturnType<typeof createCallCounters>;

/** Call metrics for Prometheus. Pass `metrics` to `createSignalbox` and the object to `startServer`. */
export interface PrometheusMetrics {
  readonly metrics: CallMetrics;
  /** Counts a call that was shed. */
  readonly shed: OnShed;
  /** Returns the registry with all metrics. */
  registry(): Promise<Registry>;
}

/** Creates call metrics. `prom-client` is loaded with the first call or scrape, so that it does not delay the start. */
export function createPrometheusMetrics(): PrometheusMetrics {
  let loading: Promise<CallCounters> | undefined;
  let counters: CallCounters | undefined;
  const load = (): Promise<CallCounters> =>
    (loading ??= import('./prometheus-registry.ts').then((module) => (counters = module.createCallCounters())));
  const withCounters = (one: (calls: CallCounters) => void): void => {
    if (counters === undefined) void load().then(one);
    else one(counters);
  };
  return {
    metrics: {
      callStarted: () => withCounters(({ metrics }) => metrics.callStarted()),
      callEnded: (call) => withCounters(({ metrics }) => metrics.callEnded(call)),
    },
    shed: (reason) => withCounters(({ shed }) => shed(reason)),
    registry: async () => (await load()).registry,
  };
}
