import { scriptedClaude } from '../../../../test/support/runtime/claude.ts';
import { faultsConformance } from '../shared/faults.conformance.ts';
import { ownToolsConformance } from '../shared/own-tools.conformance.ts';
import { runtimeConformance } from '../../runtime.conformance.ts';
import { claudeRuntime } from './claude-runtime.ts';

runtimeConformance(
  'claude',
  { question: 'AskUserQuestion', thinks: true, seesChanges: 'turn' },
  scriptedClaude(claudeRuntime),
);

ownToolsConformance('claude', claudeRuntime);

faultsConformance('claude', claudeRuntime);
