import { decideByDefault } from '../../policy/default-policy.ts';
import { type Stage, toolOf } from '../call.ts';
import { unfinished } from '../../model/unfinished.ts';

/** Asks policy. Until policies can be written, the default holds: reads run, everything else asks. */
export const decide: Stage = (call, next) => {
  const decision = decideByDefault(toolOf(call).definition);
  call.decision = decision;
  if (decision.answer === 'deny')
    return unfinished('denied', 'policy-denied', `${call.name} was refused by ${decision.rule}: ${decision.reason}`);
  return next(call);
};
