import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addBacktestCommand } from './backtest.ts';
import { addCheckCommand } from './check.ts';
import { addExplainCommand } from './explain.ts';

/** `signalbox policy`: the rules that decide calls. */
export function addPolicyCommand(program: Command, context: CommandContext): void {
  const policy = program
    .command('policy')
    .summary('check rules, explain a decision, test rules on recorded calls')
    .description('Checks, explains and tests the rules that decide calls. See docs/reference/policy.md.');
  addCheckCommand(policy, context);
  addExplainCommand(policy, context);
  addBacktestCommand(policy, context);
}
