import type { HttpRequestHead } from '../../surfaces/mcp/http/http-types.ts';
import { Problem } from '../problems/problem.ts';
import type { ServerEnvironment } from './server-context.ts';
import type { MiddlewareHandler } from 'hono';

/** How many calls may be under way at a time, and how much of what they brought along. */
export interface AdmissionLimits {
  /** Of everybody (4096). */
  readonly calls?: number | undefined;
  /** Of one principal (half of all). */
  readonly callsOfOne?: number | undefined;
  /** The bodies of all together, in bytes (256 MB). */
  readonly bytes?: number | undefined;
}

/** Why a call is not let in. */
export const shedReasons = ['server', 'principal', 'memory'] as const;
export type ShedReason = (typeof shedReasons)[number];

/** Told of each that is not let in. */
export type OnShed = (reason: ShedReason) => void;

/**
 * Lets calls in, or turns them away before anything is read, parsed or written for them. Who waits in a line that grows without
 * end gets an answer that nobody waits for any more: what cannot be done soon is refused at once.
 */
export class Admission {
  readonly #calls: number;
  readonly #callsOfOne: number;
  readonly #bytes: number;
  readonly #onShed: OnShed;
  readonly #byPrincipal = new Map<string, number>();
  #underWay = 0;
  #bytesUnderWay = 0;

  constructor(limits: AdmissionLimits = {}, onShed: OnShed = () => undefined) {
    const { calls = 4096, callsOfOne = Math.ceil(calls / 2), bytes = 256 * 1024 * 1024 } = limits;
    this.#calls = calls;
    this.#callsOfOne = callsOfOne;
    this.#bytes = bytes;
    this.#onShed = onShed;
  }

  /** Lets a call of so many bytes in; what it returns is to be called once, at its end. Throws the problem where there is no room. */
  enter(principal: string, bytes: number): () => void {
    const own = this.#byPrincipal.get(principal) ?? 0;
    const reason = this.#reasonAgainst(own, bytes);
    if (reason !== undefined) {
      this.#onShed(reason);
      throw refusals[reason];
    }
    this.#underWay += 1;
    this.#bytesUnderWay += bytes;
    this.#byPrincipal.set(principal, own + 1);
    return () => this.#leave(principal, bytes);
  }

  #reasonAgainst(own: number, bytes: number): ShedReason | undefined {
    if (own >= this.#callsOfOne) return 'principal';
    if (this.#underWay >= this.#calls) return 'server';
    // One alone always has room: how large a body may be is decided elsewhere.
    return this.#underWay > 0 && this.#bytesUnderWay + bytes > this.#bytes ? 'memory' : undefined;
  }

  #leave(principal: string, bytes: number): void {
    this.#underWay -= 1;
    this.#bytesUnderWay -= bytes;
    const own = this.#byPrincipal.get(principal) ?? 0;
    if (own > 1) this.#byPrincipal.set(principal, own - 1);
    else this.#byPrincipal.delete(principal);
  }
}

const headers = { 'Retry-After': '1' };
/** Made once: under load they are what is told most, and each new one would cost a trace of where it was made. */
const refusals: Readonly<Record<ShedReason, Problem>> = {
  principal: new Problem(
    'calls-exhausted',
    'too many calls of this principal are under way; call again when some have ended',
    { headers },
  ),
  server: new Problem('overloaded', 'more calls are under way than this server takes', { headers }),
  memory: new Problem('overloaded', 'the calls under way take all the memory that is for them', { headers }),
};

/** Lets a call in before its body is read, and out when it is answered. */
export function admit(admission: Admission, maxBodyBytes: number): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const leave = admission.enter(context.var.principal.id, expectedBodyBytes(context.env.incoming, maxBodyBytes));
    try {
      await next();
    } finally {
      leave();
    }
  };
}

/** How large a body may turn out to be: what does not say so may be as large as any. */
export function expectedBodyBytes({ headers }: HttpRequestHead, most: number): number {
  const declared = Number(headers['content-length']);
  return declared <= most ? declared : most;
}
