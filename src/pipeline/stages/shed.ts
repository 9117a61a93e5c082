import type { CallOutcome } from 'src/core/calls/call-outcome.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';
import type { Breaker } from '../breaker.ts';
import { type Call, type Stage, toolOf } from '../call.ts';
import type { Limiters } from '../limiter.ts';

/** Refuses a call that would only wait in vain, before anything is decided, asked or written for it. */
export function shed(limiters: Limiters): Stage {
  return (call, next) => {
    const places = limiters.of(toolOf(call).source);
    if (places.isFull) return busy(call);
    const { breaker } = places;
    return breaker !== undefined && breaker.isOpen && breaker.pausesFor(Date.now()) > 0
      ? silent(call, breaker)
      : next(call);
  };
}

/** Too many wait already. */
export function busy(call: Call): CallOutcome {
  return failedOutcome(
    'failed',
    'server-busy',
    `${call.name} was not run: too many calls wait for server "${toolOf(call).source.server}" already; call again later`,
  );
}

/** The server lets calls run out of their time. */
export function silent(call: Call, breaker: Breaker): CallOutcome {
  const seconds = Math.ceil(breaker.pausesFor(Date.now()) / 1000);
  return failedOutcome(
    'failed',
    'server-down',
    `${call.name} was not run: server "${toolOf(call).source.server}" did not answer the last calls in their time; it is tried again in ${seconds} s`,
  );
}
