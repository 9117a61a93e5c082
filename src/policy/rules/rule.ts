import canonicalize from 'canonicalize';
import type { Decision } from '../../core/calls/decision.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { Condition } from '../conditions/condition.ts';
import type { ReadTrack } from '../facts/facts.ts';
import type { CostExpression, Meter } from '../facts/meter.ts';
import type { Patterns } from './patterns.ts';
import { hash } from 'node:crypto';

/** One compiled rule of a policy. */
export interface Rule {
  readonly id: string;
  /** The answer for calls that match. */
  readonly answer: Decision['answer'];
  readonly reason: string | undefined;
  /** The place of the rule: `policies.yaml:12`. */
  readonly at: string | undefined;
  /** Whether its answer is only reported, without effect. */
  readonly shadow: boolean;
  /** The calls to which the rule is limited; all calls by default. */
  readonly scope: Scope;
  readonly kind: RuleKind;
  /** The rule as written. The version of a policy is computed from it. */
  readonly source: JsonValue;
  /** Changes whenever the source does. */
  readonly version: string;
}

/** Restrictions of a rule in addition to those of its kind. */
export interface Scope {
  readonly servers: Patterns | undefined;
  readonly sessions: Patterns | undefined;
  readonly principals: Patterns | undefined;
}

/** The kind of a rule, with its settings. */
export type RuleKind =
  | { readonly type: 'match'; readonly match: Patterns; readonly when: true | Condition }
  | {
      readonly type: 'requires';
      readonly targets: readonly { readonly match: string; readonly steps: readonly string[] }[];
      /** The steps must be newer than the last completed call of the tool itself. */
      readonly fresh: boolean;
      /** The owner of the calls that count as steps. Default: the session, unless the principal has since repeated an earlier step in another one. */
      readonly by: 'session' | 'principal' | undefined;
      /** The period for which calls of the principal in other sessions count. */
      readonly windowMs: number;
    }
  | { readonly type: 'readBeforeWrite'; readonly track: ReadTrack }
  | {
      readonly type: 'limit';
      /** The meters, each of which must stay within the limit. */
      readonly meters: readonly ScopedMeter[];
      readonly calls: number | undefined;
      readonly cost: number | undefined;
      readonly costExpression: CostExpression | undefined;
    }
  | {
      readonly type: 'flow';
      readonly from: readonly string[];
      readonly to: readonly string[];
      /** The scope of past labels that count, besides recognized values: also those of the principal, of the session only, or none. */
      readonly labels: 'principal' | 'session' | 'none';
      /** The period for which calls of the principal in other sessions count. */
      readonly windowMs: number;
    };

/** A count of calls, of the session or over all sessions of the principal. */
export interface ScopedMeter {
  readonly by: 'session' | 'principal';
  readonly meter: Meter;
  /** The period it counts over, as display text. */
  readonly span: string;
}

/** Returns the version of a source, which does not depend on its formatting. */
export function versionOf(source: JsonValue): string {
  return hash('sha256', canonicalize(source) ?? '', 'hex').slice(0, 16);
}

const strength: Readonly<Record<Decision['answer'], number>> = { allow: 1, ask: 2, deny: 3 };

/** `deny` beats `ask` beats `allow`. */
export function isStronger(answer: Decision['answer'], than: Decision['answer']): boolean {
  return strength[answer] > strength[than];
}
