import type { Source } from '../../catalog/source/source.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { canonicalArguments } from '../recording/canonical-arguments.ts';

const maxResults = 1000;
const maxCharacters = 8 * 1024 * 1024;

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
    call.run.isCached = true;
    return known;
  }
  const store = cache.reading(key);
  const outcome = await next(call);
  if (outcome.outcome === 'completed' && call.run.hasAskedCaller !== true) store(outcome, Date.now() + cacheMs);
  return outcome;
}

async function write(call: DecidedCall, next: Next<DecidedCall>, cache: ResultCache): Promise<CallOutcome> {
  const ended = cache.writing();
  try {
    return await next(call);
  } finally {
    ended();
  }
}

function keyOf(call: DecidedCall): string {
  const { definitionHash } = call.tool.definition;
  const { principal, session, args } = call;
  const who = [principal.kind, principal.id, session ?? null];
  return `${definitionHash} ${JSON.stringify(who)} ${canonicalArguments(args.text)}`;
}

interface CachedResult {
  readonly outcome: CallOutcome;
  readonly until: number;
  readonly size: number;
}

/** Results of one server's reads. They expire, are evicted when there are too many, and are dropped when a call with an effect runs. */
class ResultCache {
  readonly #results = new Map<string, CachedResult>();
  #size = 0;
  #writing = 0;
  #generation = 0;

  get(key: string, now: number): CallOutcome | undefined {
    const known = this.#results.get(key);
    if (known === undefined) return undefined;
    if (known.until > now) return known.outcome;
    this.#drop(key, known);
    return undefined;
  }

  /** Begins a read. The returned function stores its result, unless a call with an effect ran meanwhile. */
  reading(key: string): (outcome: CallOutcome, until: number) => void {
    const generation = this.#generation;
    return (outcome, until) => {
      if (this.#writing === 0 && this.#generation === generation) this.#store(key, outcome, until);
    };
  }

  /** Begins a call with an effect: nothing is cached until the returned function is called. */
  writing(): () => void {
    this.#writing += 1;
    this.#clear();
    return () => {
      this.#writing -= 1;
      this.#clear();
    };
  }

  #clear(): void {
    this.#generation += 1;
    this.#results.clear();
    this.#size = 0;
  }

  #store(key: string, outcome: CallOutcome, until: number): void {
    const size = key.length + JSON.stringify(outcome).length;
    if (size > maxCharacters) return;
    const before = this.#results.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#results.set(key, { outcome, until, size });
    this.#size += size;
    for (const [oldest, each] of this.#results) {
      if (this.#results.size <= maxResults && this.#size <= maxCharacters) return;
      this.#drop(oldest, each);
    }
  }

  #drop(key: string, { size }: CachedResult): void {
    this.#results.delete(key);
    this.#size -= size;
  }
}
