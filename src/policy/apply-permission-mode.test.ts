import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision } from '../core/calls/decision.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { Effect } from '../core/tools/tool.ts';
import { applyPermissionMode } from './apply-permission-mode.ts';

type Answer = Decision['answer'];
const effects: readonly Effect[] = ['read', 'undoable', 'compensable', 'irreversible'];

/** The answers for the four effects, by mode and by the answer of policy. */
const table: Readonly<Record<PermissionMode, Readonly<Record<Answer, string>>>> = {
  default: { allow: 'allow allow allow allow', ask: 'ask ask ask ask', deny: 'deny deny deny deny' },
  acceptEdits: { allow: 'allow allow allow allow', ask: 'allow allow ask ask', deny: 'deny deny deny deny' },
  plan: { allow: 'allow deny deny deny', ask: 'ask deny deny deny', deny: 'deny deny deny deny' },
  dontAsk: { allow: 'allow allow allow allow', ask: 'deny deny deny deny', deny: 'deny deny deny deny' },
  bypassPermissions: { allow: 'allow allow allow allow', ask: 'allow allow allow allow', deny: 'deny deny deny deny' },
};

for (const [mode, rows] of Object.entries(table) as [PermissionMode, Readonly<Record<Answer, string>>][]) {
  test(`permission mode ${mode} maps each decision by effect as specified`, () => {
    for (const [answer, expected] of Object.entries(rows) as [Answer, string][]) {
      const decision: Decision = { answer, rule: 'r', reason: 'because', policy: 'v1' };
      const decisions = effects.map((effect) => applyPermissionMode(mode, decision, effect));
      assert.equal(decisions.map((each) => each.answer).join(' '), expected, `${mode}, ${answer}`);
      for (const each of decisions) {
        assert.equal(each.policy, 'v1');
        assert.equal(each.rule, each.answer === answer ? 'r' : `mode:${mode}`);
      }
    }
  });
}
