import type { ClaudeCodeSettings } from '../shared/claude-options.ts';
import { processRuntime } from '../shared/process-runtime.ts';
import type { Runtime } from '../../runtime.ts';
import { drive } from './sdk-turn.ts';

/**
 * Drives turns with Claude Code through the Claude Agent SDK, which is loaded with the first turn.
 *
 * @example
 * const runtime = claudeRuntime({ model: 'opus' });
 */
export function claudeRuntime(settings: ClaudeCodeSettings = {}): Runtime {
  return processRuntime('claude', settings, drive);
}
