import { type Decision, askingRules } from '../core/calls/decision.ts';
import { type Effect, type ToolDefinition, isEffect } from '../core/tools/tool.ts';

/** The rule that asks only once: an approval applies to the tool for the rest of the session. */
export const askOncePerSessionRule = 'default:undoable';

const decisions: Readonly<Record<Effect, Decision>> = {
  read: { answer: 'allow', rule: 'default:read', reason: 'reads are allowed' },
  undoable: {
    answer: 'ask',
    rule: askOncePerSessionRule,
    reason: 'the tool writes; undoable calls ask once in a session, and each time outside one',
  },
  compensable: {
    answer: 'ask',
    rule: 'default:compensable',
    reason: 'the effect of the tool can only be reversed by another call',
  },
  irreversible: {
    answer: 'ask',
    rule: 'default:irreversible',
    reason: 'the tool cannot be undone; irreversible calls always ask',
  },
};

/** Decides a call that no rule decides: allows reads and asks for everything else. Denies a tool with an unknown effect. */
export function decideByDefault({ effect }: ToolDefinition): Decision {
  if (isEffect(effect)) return decisions[effect];
  return {
    answer: 'deny',
    rule: 'default:effect',
    reason: `the tool has an unknown effect (${JSON.stringify(effect)})`,
  };
}

/** Turns `allow` into `ask` for a tool with an unaccepted definition. A human's answer applies to that definition only. */
export function askForUnacceptedDefinition(
  decision: Decision,
  { unaccepted, definitionHash }: ToolDefinition,
): Decision {
  if (unaccepted === undefined || decision.answer === 'deny') return decision;
  const asking = { rule: 'default:definition', reason: unaccepted.reason, version: definitionHash };
  const { answer, rule, reason, at: _, version: __, ...rest } = decision;
  if (answer === 'ask') return { ...rest, answer, ...asking, asks: [asking, ...askingRules(decision)] };
  return { ...rest, answer: 'ask', ...asking, ruled: { answer, rule, reason } };
}
