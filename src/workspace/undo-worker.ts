/** The worker thread of the undo engine. A workspace scan is synchronous and may be slow, so it must not block the main thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { type UndoEngineOptions, UndoEngine } from './undo-engine.ts';
import type { UndoAnswer, UndoRequest } from './undo-thread.ts';

const engine = new UndoEngine(workerData as UndoEngineOptions);

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
