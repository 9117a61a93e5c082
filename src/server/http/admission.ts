import type { HttpRequestHead } from '../../surfaces/mcp/http/http-types.ts';
import { Problem } from '../problems/problem.ts';
import type { ServerEnvironment } from './server-context.ts';
import type { MiddlewareHandler } from 'hono';

/** The limits of concurrent calls. */
interface AdmissionLimits {
  /** The maximum of all calls (4096). */
  readonly calls?: number | undefined;
  /** The maximum of calls by one principal (half of `calls`). */
  readonly callsOfOne?: number | undefined;
  /** The maximum size of all request bodies together (256 MB). */
  readonly bytes?: number | undefined;
}

/** The reasons for which calls are shed. */
export const shedReasons = ['server', 'principal', 'memory'] as const;
export type ShedReason = (typeof shedReasons)[number];

/** Called for each call that is shed. */
export type OnShed = (reason: ShedReason) => void;

/** Limits concurrent calls. It sheds load at once, before a body is read, instead of queueing calls until their clients time out. */
export class Admission {
  readonly #calls: number;
  readonly #callsOfOne: number;
  readonly #bytes: number;
  readonly #onShed: OnShed;
  readonly #byPrincipal = new Map<string, number>();
  #running = 0;
  #runningBytes = 0;

  constructor(limits: AdmissionLimits = {}, onShed: OnShed = () => undefined) {
    const { calls = 4096, callsOfOne = Math.ceil(calls / 2), bytes = 256 * 1024 * 1024 } = limits;
    this.#calls = calls;
    this.#callsOfOne = callsOfOne;
    this.#bytes = bytes;
    this.#onShed = onShed;
  }

  /** Admits a call with a body of `bytes`, and returns a function to call once at its end. Throws a problem when a limit is reached. */
  enter(principal: string, bytes: number): () => void {
    const own = this.#byPrincipal.get(principal) ?? 0;
    const reason = this.#shedReason(own, bytes);
    if (reason !== undefined) {
      this.#onShed(reason);
      throw refusals[reason];
    }
    this.#running += 1;
    this.#runningBytes += bytes;
    this.#byPrincipal.set(principal, own + 1);
    return () => this.#leave(principal, bytes);
  }

  #shedReason(own: number, bytes: number): ShedReason | undefined {
    if (own >= this.#callsOfOne) return 'principal';
    if (this.#running >= this.#calls) return 'server';
    // A single call is always admitted, because `maxBodyBytes` limits its size.
    return this.#running > 0 && this.#runningBytes + bytes > this.#bytes ? 'memory' : undefined;
  }

  #leave(principal: string, bytes: number): void {
    this.#running -= 1;
    this.#runningBytes -= bytes;
    const own = this.#byPrincipal.get(principal) ?? 0;
    if (own > 1) this.#byPrincipal.set(principal, own - 1);
    else this.#byPrincipal.delete(principal);
  }
}

function refusal(code: 'calls-exhausted' | 'overloaded', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'Retry-After': '1' } });
}

/** Created once: under load they are thrown often, and each new error would capture a stack trace. */
const refusals: Readonly<Record<ShedReason, Problem>> = {
  principal: refusal('calls-exhausted', 'too many calls of this principal are running; try again when some have ended'),
  server: refusal('overloaded', 'the server has reached its maximum of running calls; try again in a moment'),
  memory: refusal(
    'overloaded',
    'the running calls have reached the memory limit of request bodies; try again in a moment',
  ),
};

/** Admits a call before its body is read, until its response is ready. */
export function admitCall(admission: Admission): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const { principal, maxBodyBytes } = context.var;
    const leave = admission.enter(principal.id, expectedBodyBytes(context.env.incoming, maxBodyBytes));
    try {
      await next();
    } finally {
      leave();
    }
  };
}

/** Returns the declared size of a body, or `maxBytes` when it is missing or larger. */
export function expectedBodyBytes({ headers }: HttpRequestHead, maxBytes: number): number {
  const declared = Number(headers['content-length']);
  return declared <= maxBytes ? declared : maxBytes;
}
