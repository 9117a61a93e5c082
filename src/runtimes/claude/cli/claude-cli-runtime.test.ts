import { scriptedClaude } from '../../../../test/support/runtime/claude.ts';
import { faultsConformance } from '../shared/faults.conformance.ts';
import { ownToolsConformance } from '../shared/own-tools.conformance.ts';
import { runtimeConformance } from '../../runtime.conformance.ts';
import { claudeCliRuntime } from './claude-cli-runtime.ts';

runtimeConformance(
  'claude-cli',
  { question: 'AskUserQuestion', thinks: true, seesChanges: 'turn' },
  scriptedClaude(claudeCliRuntime),
);

ownToolsConformance('claude-cli', claudeCliRuntime);

faultsConformance('claude-cli', claudeCliRuntime);
