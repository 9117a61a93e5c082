import { Worker } from 'node:worker_threads';
import type { RuleSource } from '../../../pipeline/policies/compile-policies.ts';
import { compileCacheEnv } from '../../../core/compile-cache.ts';
import type { PolicyProblem } from '../../../policy/rules/policy-error.ts';
import { Problem } from '../../problems/problem.ts';

/** What is wrong with rules, if anything. */
export interface PolicyCheck {
  readonly valid: boolean;
  readonly version?: string;
  readonly rules: number;
  readonly problems: readonly Omit<PolicyProblem, 'file'>[];
}

/** The largest rules that are looked at over HTTP, in bytes of the request. */
export const maxRulesBytes = 1024 * 1024;
/** Told at a time. */
export const maxProblems = 200;

const mostWaiting = 8;
const longestMs = 10_000;
const idleMs = 30_000;
const program = import.meta.url.endsWith('.ts')
  ? new URL('./policy-check-worker.ts', import.meta.url)
  : new URL('./policy-check-worker.js', import.meta.url);

/** Checks rules on a thread of its own, one after the other: a megabyte of them takes a second, for which nobody else may wait. */
export class PolicyChecker {
  #worker: Worker | undefined;
  #idling: NodeJS.Timeout | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(stopping: AbortSignal) {
    stopping.addEventListener('abort', () => this.#end(), { once: true });
  }

  check(sources: readonly RuleSource[]): Promise<PolicyCheck> {
    if (this.#waiting >= mostWaiting)
      throw new Problem('overloaded', 'other rules are being checked; try again in a moment', {
        headers: { 'Retry-After': '1' },
      });
    this.#waiting += 1;
    const checked = this.#last.then(() => this.#check(sources)).finally(() => (this.#waiting -= 1));
    this.#last = checked.catch(() => undefined);
    return checked;
  }

  async #check(sources: readonly RuleSource[]): Promise<PolicyCheck> {
    clearTimeout(this.#idling);
    const worker = (this.#worker ??= start());
    const { promise, resolve, reject } = Promise.withResolvers<PolicyCheck>();
    const tooMuch = (): void =>
      reject(new Problem('policy-invalid', 'the rules take too much time or memory to be read; make them simpler'));
    const timer = setTimeout(tooMuch, longestMs);
    worker.on('message', resolve).on('error', tooMuch).on('exit', tooMuch);
    try {
      worker.postMessage(sources, []);
      return await promise;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', tooMuch).off('exit', tooMuch);
      this.#idling = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #end(): void {
    // What comes of it now is nobody's business any more.
    void this.#worker?.on('error', () => undefined).terminate();
    this.#worker = undefined;
  }
}

function start(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: 256 };
  const worker = new Worker(program, { name: 'policy-checks', env: compileCacheEnv(), execArgv: [], resourceLimits });
  worker.unref();
  return worker;
}
