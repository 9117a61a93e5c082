import { Worker } from 'node:worker_threads';
import type { RuleSource } from '../../../pipeline/policies/compile-policies.ts';
import { compileCacheEnv } from '../../../core/compile-cache.ts';
import type { PolicyProblem } from '../../../policy/rules/policy-error.ts';
import { Problem } from '../../problems/problem.ts';

/** The result of a check of rules. */
export interface PolicyCheck {
  readonly valid: boolean;
  readonly version?: string;
  readonly rules: number;
  readonly problems: readonly Omit<PolicyProblem, 'file'>[];
}

/** The maximum size of a request with rules to check. */
export const maxRulesBytes = 1024 * 1024;
/** The maximum number of reported errors. */
export const maxProblems = 200;

const maxQueuedChecks = 8;
const checkTimeoutMs = 10_000;
const workerIdleMs = 30_000;
const program = import.meta.url.endsWith('.ts')
  ? new URL('./policy-check-worker.ts', import.meta.url)
  : new URL('./policy-check-worker.js', import.meta.url);

/** Checks rules one after another on a worker thread, because a megabyte of rules takes a second. */
export class PolicyChecker {
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #queued = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(stopping: AbortSignal) {
    stopping.addEventListener('abort', () => this.#end(), { once: true });
  }

  check(sources: readonly RuleSource[]): Promise<PolicyCheck> {
    if (this.#queued >= maxQueuedChecks)
      throw new Problem('overloaded', 'too many checks of rules are queued; try again in a moment', {
        headers: { 'Retry-After': '1' },
      });
    this.#queued += 1;
    const checked = this.#last.then(() => this.#check(sources)).finally(() => (this.#queued -= 1));
    this.#last = checked.catch(() => undefined);
    return checked;
  }

  async #check(sources: readonly RuleSource[]): Promise<PolicyCheck> {
    clearTimeout(this.#idleTimer);
    const worker = (this.#worker ??= start());
    const { promise, resolve, reject } = Promise.withResolvers<PolicyCheck>();
    const rejectAsTooComplex = (): void =>
      reject(new Problem('policy-invalid', 'checking the rules takes too much time or memory; simplify them'));
    const timer = setTimeout(rejectAsTooComplex, checkTimeoutMs);
    worker.on('message', resolve).on('error', rejectAsTooComplex).on('exit', rejectAsTooComplex);
    try {
      worker.postMessage(sources, []);
      return await promise;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', rejectAsTooComplex).off('exit', rejectAsTooComplex);
      this.#idleTimer = setTimeout(() => this.#end(), workerIdleMs).unref();
    }
  }

  #end(): void {
    // Errors of a terminated worker are irrelevant.
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
