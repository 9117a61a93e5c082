import canonicalize from 'canonicalize';
import type { Decision } from '../../core/calls/decision.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { Condition } from '../conditions/condition.ts';
import type { ReadTrack } from '../facts/facts.ts';
import type { Cost, Meter } from '../facts/meter.ts';
import type { Patterns } from './patterns.ts';
import { hash } from 'node:crypto';

/** One rule of a policy, ready to be evaluated. */
export interface Rule {
  readonly id: string;
  /** The answer for calls that match. */
  readonly answer: Decision['answer'];
  readonly reason: string | undefined;
  /** The place of the rule: `policies.yaml:12`. */
  readonly at: string | undefined;
  /** Its answer is reported and has no effect. */
  readonly shadow: boolean;
  /** The calls to which the rule is limited; all calls by default. */
  readonly scope: Scope;
  readonly kind: RuleKind;
  /** As it was written: what the version of a policy is made of. */
  readonly source: JsonValue;
  /** Changes whenever the source does. */
  readonly version: string;
}

/** The calls a rule is about, besides those that its kind names. */
export interface Scope {
  readonly servers: Patterns | undefined;
  readonly sessions: Patterns | undefined;
  readonly principals: Patterns | undefined;
}

/** The kind of a rule, with its settings. */
export type RuleKind =
  | { readonly kind: 'match'; readonly match: Patterns; readonly when: true | Condition }
  | {
      readonly kind: 'requires';
      readonly targets: readonly { readonly match: string; readonly steps: readonly string[] }[];
      /** The steps must be newer than the last completed call of the tool itself. */
      readonly fresh: boolean;
      /** Whose calls count as steps. Without it: steps of the session, unless the principal repeated an earlier one elsewhere since. */
      readonly by: 'session' | 'principal' | undefined;
      /** The period for which calls of the principal in other sessions count. */
      readonly windowMs: number;
    }
  | { readonly kind: 'readBeforeWrite'; readonly track: ReadTrack }
  | {
      readonly kind: 'limit';
      /** The call must stay within the limit by each of them. */
      readonly meters: readonly ScopedMeter[];
      readonly calls: number | undefined;
      readonly cost: number | undefined;
      readonly each: Cost | undefined;
    }
  | {
      readonly kind: 'flow';
      readonly from: readonly string[];
      readonly to: readonly string[];
      /** Which labels of the past count, besides values that reappear: also those of the principal, of the session alone, or none. */
      readonly labels: 'principal' | 'session' | 'none';
      /** The period for which calls of the principal in other sessions count. */
      readonly windowMs: number;
    };

/** A count of calls, of the session or over all sessions of the principal. */
export interface ScopedMeter {
  readonly by: 'session' | 'principal';
  readonly meter: Meter;
  /** The span it counts over, for people. */
  readonly span: string;
}

/** The version of what was written: the same however it is laid out. */
export function versionOf(source: JsonValue): string {
  return hash('sha256', canonicalize(source) ?? '', 'hex').slice(0, 16);
}

const strength: Readonly<Record<Decision['answer'], number>> = { allow: 1, ask: 2, deny: 3 };

/** `deny` beats `ask` beats `allow`. */
export function isStronger(answer: Decision['answer'], than: Decision['answer']): boolean {
  return strength[answer] > strength[than];
}
