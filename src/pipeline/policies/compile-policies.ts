import type { JsonObject } from '../../core/json/json.ts';
import type { ToolPolicy } from '../../policy/code-policy.ts';
import { Policy } from '../../policy/policy.ts';
import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import { type PolicyDocument, readPolicies } from '../../policy/rules/read-policies.ts';

/** Compiles rules from several sources into one policy. Throws a `PolicyError` that lists every problem. */
export function compilePolicies(sources: readonly HostRuleSource[], builtin?: string): Policy {
  return new Policy(readPolicies(documentsOf(sources), builtin));
}

/** Returns the documents of the rules. Single rules are combined into one document. */
function documentsOf(sources: readonly HostRuleSource[]): readonly PolicyDocument[] {
  const documents: PolicyDocument[] = [];
  const rules: JsonObject[] = [];
  for (const source of sources) {
    if (isText(source)) documents.push(parsePolicyText(source.text, source.file));
    else if (isDocument(source)) documents.push(source);
    else rules.push(source);
  }
  return rules.length === 0 ? documents : [...documents, { value: rules, file: 'policies', placeOf: () => undefined }];
}

function isText(source: HostRuleSource): source is PolicyText {
  return typeof (source as Partial<PolicyText>).text === 'string' && 'file' in source;
}

function isDocument(source: HostRuleSource): source is PolicyDocument {
  return 'placeOf' in source && typeof source.placeOf === 'function';
}

/** A policy: a rule, the text of a file of rules, or code. */
export type PolicySource = ToolPolicy | RuleSource;

/** Rules: one, or a file of them. */
export type RuleSource = JsonObject | PolicyText;

/** Rules from our own host, which may have parsed their file already. */
export type HostRuleSource = RuleSource | PolicyDocument;

/** A policy from our own host. */
export type HostPolicySource = ToolPolicy | HostRuleSource;

/** The text of a file of rules, as YAML. */
export interface PolicyText {
  readonly text: string;
  /** The file name for messages. */
  readonly file: string;
}
