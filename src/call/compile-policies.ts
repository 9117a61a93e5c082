import type { JsonObject } from '../model/json.ts';
import { Policy } from '../policy/policy.ts';
import { policyText } from '../policy/policy-text.ts';
import { type PolicyDocument, readPolicies } from '../policy/read-policy.ts';
import type { RuleSource } from './policies.ts';

/** Makes one policy of rules from anywhere. Throws a `PolicyError` that tells everything that is wrong with them. */
export function compilePolicies(sources: readonly RuleSource[]): Policy {
  return new Policy(readPolicies(documentsOf(sources)));
}

/** The documents that rules are read from; rules that stand alone make one together. */
function documentsOf(sources: readonly RuleSource[]): readonly PolicyDocument[] {
  const documents: PolicyDocument[] = [];
  const rules: JsonObject[] = [];
  for (const source of sources) {
    if ('text' in source && 'file' in source) documents.push(policyText(String(source.text), String(source.file)));
    else if ('placeOf' in source) documents.push(source as PolicyDocument);
    else rules.push(source as JsonObject);
  }
  return rules.length === 0 ? documents : [...documents, { value: rules, file: 'policies', placeOf: () => undefined }];
}
