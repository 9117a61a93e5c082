/** Runs the undo engine in a thread of its own: looking at a workspace takes as long as it takes, and calls go on meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { type EngineOptions, UndoEngine } from './undo-engine.ts';
import type { UndoAnswer, UndoRequest } from './undo-thread.ts';

const engine = new UndoEngine(workerData as EngineOptions);

parentPort?.on('message', ({ id, method, args }: UndoRequest) => {
  parentPort?.postMessage(
    answer(id, () => Reflect.apply(engine[method], engine, args) as unknown),
    [],
  );
});

function answer(id: number, act: () => unknown): UndoAnswer {
  try {
    return { id, value: act() };
  } catch (error) {
    const code = error instanceof SignalboxError ? error.code : 'checkpoint-failed';
    return { id, error: { code, message: messageOf(error) } };
  }
}
