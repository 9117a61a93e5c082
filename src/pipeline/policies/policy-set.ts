import type { ToolPolicy } from '../../policy/code-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import type { SessionFacts } from './session-facts.ts';

/** The active rules and policies in code, with the facts that they use. */
export interface PolicySet {
  readonly policy: Policy;
  readonly code: readonly ToolPolicy[];
  readonly facts: SessionFacts;
}
