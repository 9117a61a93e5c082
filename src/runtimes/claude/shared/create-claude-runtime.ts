import { messageOf } from '../../../core/errors.ts';
import type { Runtime, Turn, TurnEvent } from '../../runtime.ts';
import { turnStream } from '../../turn-stream.ts';
import type { TurnResult } from './claude-event-mapper.ts';
import type { ClaudeCodeOptions, ClaudeCodeSettings } from './claude-options.ts';
import { cliEnvironment } from './installation.ts';
import { readTranscriptFile, toTranscript } from './transcript.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** Runs one turn to its end. */
export type RunClaudeTurn = (
  turn: Turn,
  options: ClaudeCodeOptions,
  signal: AbortSignal,
  emit: (event: TurnEvent) => void,
) => Promise<void>;

type Begin = (turn: Turn, signal: AbortSignal, emit: (event: TurnEvent) => void) => Promise<void>;

/** Creates a runtime with one Claude Code process per turn. Closing it interrupts running turns and waits for their processes. */
export function createClaudeRuntime(name: string, settings: ClaudeCodeSettings, drive: RunClaudeTurn): Runtime {
  const optionsFor = async (turn?: Turn): Promise<ClaudeCodeOptions> =>
    typeof settings === 'function' ? await settings(turn) : settings;
  const begin: Begin = async (turn, signal, emit) => {
    const options = signal.aborted ? {} : await optionsFor(turn);
    if (signal.aborted) emit({ type: 'done', reason: 'interrupted' });
    else await drive(turn, options, signal, emit);
  };
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    name,
    turn: (turn) =>
      turnStream(turn.signal, async (emit, signal) => {
        const interrupt = AbortSignal.any([signal, closing.signal]);
        const driving = begin(turn, interrupt, emit).catch((error: unknown) => {
          emit({ type: 'error', code: 'runtime-failed', message: messageOf(error) });
          emit({ type: 'done', reason: 'error' });
        });
        running.add(driving);
        await driving.finally(() => running.delete(driving));
      }),
    async transcript(memory, cwd) {
      if (typeof memory !== 'string') return undefined;
      const { env } = await optionsFor();
      const records = await readTranscriptFile(memory, cwd, cliEnvironment(env));
      return records && toTranscript(records);
    },
    async close() {
      closing.abort(new DOMException('the runtime is closed', 'AbortError'));
      await Promise.allSettled(running);
    },
  };
}

const maxInterruptMs = 3000;

/** Waits for the result of a turn. After an interrupt, waits only briefly, so that Claude Code can write its transcript. */
export async function resultOrInterrupt(
  result: Promise<TurnResult>,
  signal: AbortSignal,
  interrupt: () => Promise<unknown>,
): Promise<TurnResult | 'interrupted'> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const first = await Promise.race([result, aborted.promise.then(() => 'interrupted' as const)]);
    if (first !== 'interrupted') return first;
    const deadline = new AbortController();
    const late = wait(maxInterruptMs, undefined, { signal: deadline.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all([interrupt(), result]).catch(() => undefined), late]);
    deadline.abort();
    return 'interrupted';
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
