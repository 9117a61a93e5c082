import type { Decision } from '../core/calls/decision.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { Effect } from '../core/tools/tool.ts';

/** Applies a permission mode to a decision. A denial by policy stays a denial in every mode. */
export function applyPermissionMode(mode: PermissionMode, decision: Decision, effect: Effect): Decision {
  if (decision.answer === 'deny') return decision;
  switch (mode) {
    case 'default':
      return decision;
    case 'acceptEdits':
      if (decision.answer === 'allow' || (effect !== 'read' && effect !== 'undoable')) return decision;
      return replaceDecision(decision, mode, 'allow', 'edits that can be undone are accepted');
    case 'plan':
      if (effect === 'read') return decision;
      return replaceDecision(decision, mode, 'deny', 'only reads are allowed while planning');
    case 'dontAsk':
      if (decision.answer === 'allow') return decision;
      return replaceDecision(
        decision,
        mode,
        'deny',
        `it needs approval (${decision.reason}), and this mode never asks`,
      );
    case 'bypassPermissions':
      if (decision.answer === 'allow') return decision;
      return replaceDecision(decision, mode, 'allow', 'permissions are bypassed; deny rules still apply');
  }
}

function replaceDecision(
  decision: Decision,
  mode: PermissionMode,
  answer: Decision['answer'],
  reason: string,
): Decision {
  const { policy, shadow } = decision;
  const retained = { ...(policy === undefined ? {} : { policy }), ...(shadow === undefined ? {} : { shadow }) };
  const ruled = { answer: decision.answer, rule: decision.rule, reason: decision.reason };
  return { answer, rule: `mode:${mode}`, reason, ruled, ...retained };
}
