import type { Source } from '../../catalog/source/source.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { canonicalArguments } from '../recording/canonical-arguments.ts';
import { ResultCache } from '../results/result-cache.ts';

/**
 * Caches results of reads, for servers that allow it. A cached result serves the same principal, session, arguments and definition until
 * a call with an effect runs on the server. A read that asked its caller something is not cached. Policy still decides every call.
 */
export function reuse(): Stage<DecidedCall> {
  const caches = new WeakMap<Source, ResultCache>();
  const cacheOf = (source: Source): ResultCache => {
    let cache = caches.get(source);
    if (cache === undefined) caches.set(source, (cache = new ResultCache()));
    return cache;
  };
  return (call, next) => {
    const { definition, source } = call.tool;
    const { cacheMs } = source.limits;
    if (cacheMs === undefined) return next(call);
    const cache = cacheOf(source);
    // A human has approved a run of the tool, not an earlier result.
    if (definition.effect === 'read' && call.approval !== undefined) return next(call);
    return definition.effect === 'read' ? read(call, next, cache, cacheMs) : write(call, next, cache);
  };
}

async function read(
  call: DecidedCall,
  next: Next<DecidedCall>,
  cache: ResultCache,
  cacheMs: number,
): Promise<CallOutcome> {
  const key = keyOf(call);
  const known = cache.get(key, Date.now());
  if (known !== undefined) {
    call.isCached = true;
    return known;
  }
  const keep = cache.reading(key);
  const outcome = await next(call);
  if (outcome.outcome === 'completed' && call.hasAskedCaller !== true) keep(outcome, Date.now() + cacheMs);
  return outcome;
}

async function write(call: DecidedCall, next: Next<DecidedCall>, cache: ResultCache): Promise<CallOutcome> {
  const written = cache.writing();
  try {
    return await next(call);
  } finally {
    written();
  }
}

function keyOf(call: DecidedCall): string {
  const { definitionHash } = call.tool.definition;
  const { principal, session, argumentsText } = call;
  const who = [principal.kind, principal.id, session ?? null];
  return `${definitionHash} ${JSON.stringify(who)} ${canonicalArguments(argumentsText)}`;
}
