import type { JsonObject } from '../json/json.ts';

/** A rule that asks, and why. */
export interface AskingRule {
  readonly rule: string;
  readonly reason: string;
  /** Where the rule stands: `policies.yaml:12`. */
  readonly at?: string;
  /** Changes whenever the text of the rule does; absent for what has no text: defaults and policies in code. */
  readonly version?: string;
}

/** What policy says of a call, and why. */
export interface Decision {
  readonly answer: 'allow' | 'ask' | 'deny';
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** Where the rule stands: `policies.yaml:12`. Absent for what was not read from a file. */
  readonly at?: string;
  /** Changes whenever the text of the rule does. Present where a written rule asks. */
  readonly version?: string;
  /** Every rule that asks, the one named above first. Present when there is more than one. */
  readonly asks?: readonly AskingRule[];
  /** The values the rule looked at, by the expression that gave them. */
  readonly values?: JsonObject;
  /** The version of the policy that decided. */
  readonly policy?: string;
  /** What the rules said, where a permission mode, a remembered approval or the guard of protected files decided in their place. */
  readonly ruled?: Pick<Decision, 'answer' | 'rule' | 'reason'>;
  /** The protected or closed files that the call names, links followed: an approval is for these, and is never remembered. */
  readonly protectedFiles?: readonly string[];
  /** Why each of `protectedFiles` is protected, by its path. */
  readonly protectedRoles?: Readonly<Record<string, string>>;
  /** What rules in shadow mode would have said. */
  readonly shadow?: readonly Pick<Decision, 'answer' | 'rule' | 'reason'>[];
}

/** Every rule whose question a decision is. */
export function askingRules({ rule, reason, at, version, asks }: Decision): readonly AskingRule[] {
  return asks ?? [{ rule, reason, ...(at === undefined ? {} : { at }), ...(version === undefined ? {} : { version }) }];
}

/** A file that Signalbox or an agent runs, or reads as authority. */
export interface ProtectedFile {
  /** Absolute, whether or not the file exists. */
  readonly path: string;
  /** Completes the sentence "it is …": "a policy file". */
  readonly role: string;
}
