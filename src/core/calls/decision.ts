import type { JsonObject } from '../json/json.ts';

/** A rule that asks for approval, with its reason. */
export interface AskingRule {
  readonly rule: string;
  readonly reason: string;
  /** The location of the rule: `policies.yaml:12`. */
  readonly at?: string;
  /** The version of the rule, which changes with its text. Absent for defaults and policies in code, which have no text. */
  readonly version?: string;
}

/** The decision of the policy about a call, with its reason. */
export interface Decision {
  readonly answer: 'allow' | 'ask' | 'deny';
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** The location of the rule: `policies.yaml:12`. Absent for rules that were not read from a file. */
  readonly at?: string;
  /** The version of the rule, which changes with its text. Present when a written rule asks. */
  readonly version?: string;
  /** Every rule that asks, with `rule` first. Present when there is more than one. */
  readonly asks?: readonly AskingRule[];
  /** The values that the rule read, by expression. */
  readonly values?: JsonObject;
  /** The version of the policy that decided. */
  readonly policy?: string;
  /** The decision of the rules, when a permission mode, a remembered approval or the file guard overrode it. */
  readonly ruled?: Pick<Decision, 'answer' | 'rule' | 'reason'>;
  /** The protected or closed files that the call names, links followed: an approval is for these, and is never remembered. */
  readonly protectedFiles?: readonly string[];
  /** The reason why each of `protectedFiles` is protected, by its path. */
  readonly protectedRoles?: Readonly<Record<string, string>>;
  /** The decisions that rules in shadow mode would have made. */
  readonly shadow?: readonly Pick<Decision, 'answer' | 'rule' | 'reason'>[];
}

/** Returns every rule that asks in a decision. */
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
