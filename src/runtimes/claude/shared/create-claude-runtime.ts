import { messageOf } from '../../../core/errors.ts';
import type { Runtime, Turn, TurnEvent } from '../../runtime.ts';
import { turnStream } from '../../turn-stream.ts';
import type { ClaudeCodeOptions, ClaudeCodeSettings } from './claude-options.ts';
import { cliEnvironment } from './installation.ts';
import { readTranscriptFile, toTranscript } from './transcript.ts';

/** Runs one turn to its end. */
export type RunClaudeTurn = (
  turn: Turn,
  options: ClaudeCodeOptions,
  signal: AbortSignal,
  emit: (event: TurnEvent) => void,
) => Promise<void>;

/** Creates a runtime with one Claude Code process per turn. Closing it interrupts running turns and waits for their processes. */
export function createClaudeRuntime(name: string, settings: ClaudeCodeSettings, drive: RunClaudeTurn): Runtime {
  const optionsFor = async (turn?: Turn): Promise<ClaudeCodeOptions> =>
    typeof settings === 'function' ? await settings(turn) : settings;
  const begin = async (turn: Turn, signal: AbortSignal, emit: (event: TurnEvent) => void): Promise<void> => {
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
