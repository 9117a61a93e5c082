import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { ServerProvenance } from '../../catalog/snapshot.ts';
import type { CallMetrics } from '../../pipeline/recording/telemetry.ts';
import { type OnShed, shedReasons } from '../http/admission.ts';
import { CallDurations } from './call-durations.ts';

/** What is counted, and where. */
export interface CallCounters {
  readonly metrics: CallMetrics;
  readonly shed: OnShed;
  readonly registry: Registry;
}

/** Counts with a registry of their own, so that several boxes in one process do not count for each other. */
export function createCallCounters(): CallCounters {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Counted here, and told when somebody asks: looking a series up by its labels takes longer than counting.
  let underWay = 0;
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
    help: 'Tool calls under way.',
    registers: [],
    collect() {
      this.set(underWay);
    },
  });
  for (const metric of [calls, durations.metric, inFlight]) registry.registerMetric(metric);
  return {
    registry,
    shed: shedCounter(registry),
    metrics: {
      callStarted() {
        underWay += 1;
      },
      callEnded({ server, tool, outcome, seconds }) {
        underWay -= 1;
        let known = ended.get(tool);
        if (known === undefined) ended.set(tool, (known = { server, outcomes: new Map() }));
        known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
        durations.observe(server, outcome, seconds);
      },
    },
  };
}

/** Counts the calls that were not let in. */
function shedCounter(registry: Registry): OnShed {
  const name = 'signalbox_calls_shed_total';
  const help = 'Calls that were refused before they began, because there was no room for them.';
  const shed = new Counter({ name, help, labelNames: ['reason'], registers: [registry] });
  // A counter that is first seen above zero has not increased, as Prometheus sees it.
  for (const reason of shedReasons) shed.inc({ reason }, 0);
  return (reason) => shed.inc({ reason });
}

/** Shows which servers are up; those that were disabled are left out. */
export function serverGauge(registry: Registry): (servers: readonly ServerProvenance[]) => void {
  const name = 'signalbox_server_up';
  // Servers of one process may share a registry.
  const known = registry.getSingleMetric(name);
  const help = 'Whether a server of tools is up.';
  const up = known instanceof Gauge ? known : new Gauge({ name, help, labelNames: ['server'], registers: [registry] });
  return (servers) => {
    up.reset();
    for (const { name: server, status } of servers)
      if (status !== 'disabled') up.set({ server }, status === 'up' ? 1 : 0);
  };
}
