import type { ToolPolicy } from '../../policy/code-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import type { SessionFacts } from './session-facts.ts';

/** The rules and the policies in code that are in force, and the facts that they use. */
export interface PolicySet {
  readonly policy: Policy;
  readonly code: readonly ToolPolicy[];
  readonly facts: SessionFacts;
}
