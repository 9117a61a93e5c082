import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from '../core/compile-cache.ts';
import { type ErrorCode, SignalboxError } from '../core/errors.ts';
import type { UndoEngineOptions, UndoEngine } from './undo-engine.ts';

/** A request to the undo thread. */
export interface UndoRequest {
  readonly id: number;
  readonly method: keyof UndoEngine;
  readonly args: readonly unknown[];
}

/** The response of the undo thread. */
export type UndoAnswer =
  | { readonly id: number; readonly value: unknown; readonly error?: never }
  | { readonly id: number; readonly error: { readonly code: ErrorCode; readonly message: string } };

type Method<Name extends keyof UndoEngine> = UndoEngine[Name];

/** Runs an undo engine in a worker thread. The thread starts with the first request and restarts after it dies. */
export class UndoThread {
  readonly #options: UndoEngineOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #requests = 0;

  constructor(options: UndoEngineOptions) {
    this.#options = options;
  }

  /** Calls a method of the engine. */
  call<Name extends keyof UndoEngine>(
    method: Name,
    ...args: Parameters<Method<Name>>
  ): Promise<ReturnType<Method<Name>>> {
    const id = (this.#requests += 1);
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    worker.postMessage({ id, method, args } satisfies UndoRequest, []);
    return answer.promise as Promise<ReturnType<Method<Name>>>;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const program = new URL(`./undo-worker.${extension}`, import.meta.url);
    const env = { ...process.env, ...compileCacheEnv() };
    const worker = new Worker(program, { name: 'undo', workerData: this.#options, env });
    worker.on('message', ({ id, ...answer }: UndoAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      // An idle thread must not keep the process alive.
      if (this.#waiting.size === 0) worker.unref();
      if (answer.error === undefined) waiting?.resolve(answer.value);
      else waiting?.reject(new SignalboxError(answer.error.code, answer.error.message));
    });
    let reason = 'it ended';
    worker.on('error', (error) => (reason = error.message));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = new SignalboxError('checkpoint-failed', `the undo thread died: ${reason}`);
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
    });
    return worker;
  }
}
