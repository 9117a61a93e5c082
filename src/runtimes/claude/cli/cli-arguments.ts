import type { ClaudeCodeOptions } from '../shared/claude-options.ts';
import type { Turn } from '../../runtime.ts';

/** How the CLI is started for a turn. It always asks: what may run is decided here, by the policy of the turn's mode. */
export function cliArguments(
  { model, memory, fork }: Pick<Turn, 'model' | 'memory' | 'fork'>,
  options: ClaudeCodeOptions,
): string[] {
  const chosen = model ?? options.model;
  const { steps, costUsd } = options.limits ?? {};
  const servers = options.passthrough?.mcpServers ?? {};
  return [
    '--output-format',
    'stream-json',
    '--verbose',
    '--input-format',
    'stream-json',
    ...(steps === undefined ? [] : [`--max-turns=${steps}`]),
    ...(costUsd === undefined ? [] : [`--max-budget-usd=${costUsd}`]),
    ...(chosen === undefined ? [] : [`--model=${chosen}`]),
    '--permission-prompt-tool=stdio',
    ...(typeof memory === 'string' ? [`--resume=${memory}`] : []),
    ...(Object.keys(servers).length === 0 ? [] : ['--mcp-config', JSON.stringify({ mcpServers: servers })]),
    `--setting-sources=${(options.settingSources ?? []).join(',')}`,
    '--strict-mcp-config',
    '--permission-mode=default',
    '--include-partial-messages',
    ...(fork === true && typeof memory === 'string' ? ['--fork-session'] : []),
  ];
}
