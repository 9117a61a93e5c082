import type { JsonObject } from '../core/json/json.ts';
import type { PolicyDocument } from '../policy/rules/read-policies.ts';
import type { ToolPolicy } from '../policy/code-policy.ts';

/** A policy: a rule, the text of a file of rules, or code. */
export type PolicySource = ToolPolicy | RuleSource;

/** Rules: one, or a file of them. */
export type RuleSource = JsonObject | PolicyText | PolicyDocument;

/** The text of a file of rules, as YAML. */
export interface PolicyText {
  readonly text: string;
  /** What the rules are said to stand in. */
  readonly file: string;
}
