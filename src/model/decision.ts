import type { JsonObject } from './json.ts';

/** What policy says of a call, and why. */
export interface Decision {
  readonly answer: 'allow' | 'ask' | 'deny';
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** Where the rule stands: `policies.yaml:12`. Absent for what was not read from a file. */
  readonly at?: string;
  /** The values the rule looked at, by the expression that gave them. */
  readonly values?: JsonObject;
  /** The version of the policy that decided: an approval holds only under the same one. */
  readonly policy?: string;
  /** What rules in shadow mode would have said. */
  readonly shadow?: readonly Pick<Decision, 'answer' | 'rule' | 'reason'>[];
}
