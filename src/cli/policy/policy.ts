import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addBacktestCommand } from './backtest.ts';
import { addCheckCommand } from './check.ts';
import { addExplainCommand } from './explain.ts';

/** `signalbox policy`: the rules that decide calls. */
export function addPolicyCommand(program: Command, context: CommandContext): void {
  const policy = program
    .command('policy')
    .summary('check the rules, explain a decision, try other rules on the record')
    .description('The rules that decide calls: see docs/reference/policy.md.');
  addCheckCommand(policy, context);
  addExplainCommand(policy, context);
  addBacktestCommand(policy, context);
}
