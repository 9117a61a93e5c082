import type { ClaudeCodeSettings } from '../shared/claude-options.ts';
import { processRuntime } from '../shared/process-runtime.ts';
import type { Runtime } from '../../runtime.ts';
import { drive } from './cli-turn.ts';

/**
 * Drives turns with Claude Code by its control protocol, without the Claude Agent SDK.
 *
 * @example
 * const runtime = claudeCliRuntime({ executable: '/usr/local/bin/claude' });
 */
export function claudeCliRuntime(settings: ClaudeCodeSettings = {}): Runtime {
  return processRuntime('claude-cli', settings, drive);
}
