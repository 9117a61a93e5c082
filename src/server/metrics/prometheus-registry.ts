import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { ServerSummary } from '../../catalog/snapshot.ts';
import type { CallMetrics } from '../../pipeline/stages/observe.ts';
import { type OnShed, shedReasons } from '../http/admission.ts';
import { CallDurations } from './call-durations.ts';

/** Creates call metrics with their own registry, so that several boxes in one process are counted separately. */
export function createCallCounters(): { metrics: CallMetrics; shed: OnShed; registry: Registry } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Counted in plain variables and exported on demand, because a labeled `inc` is slower.
  let running = 0;
  const ended = new Map<string, { readonly server: string; readonly outcomes: Map<string, number> }>();
  const calls = new Counter({
    name: 'signalbox_calls_total',
    help: 'Tool calls that have ended.',
    labelNames: ['server', 'tool', 'outcome'],
    registers: [],
    collect() {
      this.reset();
      for (const [tool, { server, outcomes }] of ended)
        for (const [outcome, count] of outcomes) this.inc({ server, tool, outcome }, count);
    },
  });
  const durations = new CallDurations();
  const inFlight = new Gauge({
    name: 'signalbox_calls_in_flight',
    help: 'Tool calls that are running.',
    registers: [],
    collect() {
      this.set(running);
    },
  });
  for (const metric of [calls, durations.metric, inFlight]) registry.registerMetric(metric);
  return {
    registry,
    shed: shedCounter(registry),
    metrics: {
      callStarted() {
        running += 1;
      },
      callEnded({ server, tool, outcome, seconds }) {
        running -= 1;
        let known = ended.get(tool);
        if (known === undefined) ended.set(tool, (known = { server, outcomes: new Map() }));
        known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
        durations.observe(server, outcome, seconds);
      },
    },
  };
}

/** Counts calls that were shed. */
function shedCounter(registry: Registry): OnShed {
  const name = 'signalbox_calls_shed_total';
  const help = 'Calls that were refused before they started, because a limit of concurrent calls was reached.';
  const shed = new Counter({ name, help, labelNames: ['reason'], registers: [registry] });
  // Prometheus detects an increase only for a counter that it saw at zero.
  for (const reason of shedReasons) shed.inc({ reason }, 0);
  return (reason) => shed.inc({ reason });
}

/** Returns a function that updates the gauge of servers that are up. Disabled servers have no series. */
export function serverGauge(registry: Registry): (servers: readonly ServerSummary[]) => void {
  const name = 'signalbox_server_up';
  // Several HTTP servers in one process may share a registry.
  const known = registry.getSingleMetric(name);
  const help = 'Whether a tool server is up.';
  const up = known instanceof Gauge ? known : new Gauge({ name, help, labelNames: ['server'], registers: [registry] });
  return (servers) => {
    up.reset();
    for (const { name: server, status } of servers)
      if (status !== 'disabled') up.set({ server }, status === 'up' ? 1 : 0);
  };
}
