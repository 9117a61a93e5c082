import type { Decision } from '../../core/calls/decision.ts';

const strength: Readonly<Record<Decision['answer'], number>> = { allow: 1, ask: 2, deny: 3 };

/** `deny` beats `ask` beats `allow`. */
export function isStronger(answer: Decision['answer'], than: Decision['answer']): boolean {
  return strength[answer] > strength[than];
}
