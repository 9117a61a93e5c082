import type { Principal } from '../model/call.ts';
import type { AskingRule, Decision } from '../model/decision.ts';
import { messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { ToolDefinition } from '../model/tool.ts';
import { decideByDefault } from './default-policy.ts';
import { type Grounds, type Situation, concerns, groundsFor } from './evaluate-rule.ts';
import { Facts } from './facts.ts';
import { matchesAny } from './patterns.ts';
import type { RuleSet } from './read-policy.ts';
import type { Rule } from './rule.ts';
import { isStronger } from './strength.ts';
import { CallView, PrincipalView, type Scene, SessionView, ToolView } from './views.ts';

/** A call that is to be decided. */
export interface DecidedCall {
  readonly id: string;
  /** When it is decided, in milliseconds since 1970. */
  readonly at: number;
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
  /** The length of the arguments as JSON text. */
  readonly size: number;
  readonly principal: Principal;
  readonly session: string | undefined;
}

/** What is known of the past when a call is decided. */
export interface Past {
  readonly session: Facts;
  readonly principal: Facts;
}

interface ToolRules {
  readonly view: ToolView;
  readonly enforced: readonly Rule[];
  readonly shadowed: readonly Rule[];
  readonly byDefault: Decision;
}

/** Rules, ready to decide calls: `deny` beats `ask` beats `allow`, and what no rule speaks of is decided by its effect. */
export class Policy {
  readonly version: string;
  readonly rules: readonly Rule[];
  readonly #set: RuleSet;
  readonly #byTool = new WeakMap<ToolDefinition, ToolRules>();

  constructor(set: RuleSet) {
    this.#set = set;
    this.rules = set.rules;
    this.version = set.version;
  }

  /** Facts of a session, empty, that know what these rules ask. */
  sessionFacts(): Facts {
    return new Facts(this.#set.sessionNeeds);
  }

  /** Facts of a principal, empty, that know what these rules ask. */
  principalFacts(): Facts {
    return new Facts(this.#set.principalNeeds);
  }

  /** How far back facts of a principal must be known, in milliseconds; 0 when nothing is asked of them. */
  get principalWindowMs(): number {
    const { meters } = this.#set.principalNeeds;
    return meters.reduce((longest, { windowMs = 0 }) => Math.max(longest, windowMs), 0);
  }

  /** Whether values that were read are recognised again, which needs the whole text that a tool gave. */
  get recognisesValues(): boolean {
    return this.#set.principalNeeds.valuesOf.length > 0;
  }

  /** Decides a call. Never throws: a rule that cannot be evaluated denies. */
  decide(call: DecidedCall, past: Past): Decision {
    const rules = this.#rulesFor(call.tool);
    if (rules.enforced.length === 0 && rules.shadowed.length === 0) return rules.byDefault;
    let scene: Scene | undefined;
    const recognised = new Map<string, boolean>();
    const situation: Situation = {
      tool: call.tool,
      arguments: call.arguments,
      size: call.size,
      now: call.at,
      session: past.session,
      principal: past.principal,
      holdsValueOf: (label) => {
        const known = recognised.get(label) ?? past.principal.recognises(label, call.arguments);
        recognised.set(label, known);
        return known;
      },
      scene: () => (scene ??= sceneOf(call, past, rules.view)),
    };
    let found: Said | undefined;
    const asking: Said[] = [];
    for (const rule of rules.enforced) {
      // Nothing beats a deny. An allow may still be beaten by an allow: what cannot be evaluated denies.
      if (found?.answer === 'deny') break;
      const said = saidBy(rule, call, situation);
      if (said === undefined) continue;
      if (said.answer === 'ask') asking.push(said);
      if (found === undefined || isStronger(said.answer, found.answer)) found = said;
    }
    const shadow = rules.shadowed.flatMap((rule) => {
      const said = saidBy(rule, call, situation);
      return said === undefined ? [] : { answer: said.answer, rule: rule.id, reason: said.reason };
    });
    const shadowed = shadow.length === 0 ? {} : { shadow };
    if (found === undefined) return shadow.length === 0 ? rules.byDefault : { ...rules.byDefault, ...shadowed };
    const asks = found.answer === 'ask' && asking.length > 1 ? { asks: asking.map(askingOf) } : {};
    return { ...decisionOf(found), ...asks, policy: this.version, ...shadowed };
  }

  #rulesFor(tool: ToolDefinition): ToolRules {
    let known = this.#byTool.get(tool);
    if (known === undefined) {
      const rules = this.rules.filter((rule) => concerns(rule, tool));
      known = {
        view: new ToolView(tool),
        enforced: rules.filter(({ shadow }) => !shadow),
        shadowed: rules.filter(({ shadow }) => shadow),
        byDefault: { ...decideByDefault(tool), policy: this.version },
      };
      this.#byTool.set(tool, known);
    }
    return known;
  }
}

/** What a rule says of a call. */
interface Said {
  readonly rule: Rule;
  readonly answer: Decision['answer'];
  readonly reason: string;
  readonly values: Grounds['values'];
}

function saidBy(rule: Rule, call: DecidedCall, situation: Situation): Said | undefined {
  const { sessions, principals } = rule.scope;
  if (sessions !== undefined && !matchesAny(call.session ?? '', sessions)) return undefined;
  if (principals !== undefined && !matchesAny(call.principal.id, principals)) return undefined;
  try {
    const grounds = groundsFor(rule.kind, situation);
    if (grounds === undefined) return undefined;
    return { rule, answer: rule.answer, reason: rule.reason ?? grounds.reason, values: grounds.values };
  } catch (error) {
    // The library's messages go on with a picture of the condition.
    const [what = ''] = messageOf(error).split('\n', 1);
    return { rule, answer: 'deny', reason: `the rule cannot be evaluated: ${what}`, values: undefined };
  }
}

function decisionOf({ rule, answer, reason, values: look }: Said): Decision {
  const values = look?.();
  return {
    answer,
    rule: rule.id,
    reason,
    ...(rule.at === undefined ? {} : { at: rule.at }),
    ...(answer === 'ask' ? { version: rule.version } : {}),
    ...(values === undefined || Object.keys(values).length === 0 ? {} : { values }),
  };
}

function askingOf({ rule: { id, at, version }, reason }: Said): AskingRule {
  return { rule: id, reason, ...(at === undefined ? {} : { at }), version };
}

function sceneOf(call: DecidedCall, past: Past, tool: ToolView): Scene {
  return {
    call: new CallView(call.id, call.at),
    args: call.arguments,
    tool,
    principal: new PrincipalView(call.principal),
    session: new SessionView(call.session ?? '', past.session, call.at),
    now: new Date(call.at),
  };
}
