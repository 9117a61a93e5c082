import type { Catalog } from '../../catalog/catalog.ts';
import type { CallOutcome } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { unfinished } from '../../model/unfinished.ts';
import type { ApprovalAnswer, Approve } from '../approval.ts';
import { type Call, type Next, type Stage, toolOf } from '../call.ts';
import { type Waits, endedOutcome } from '../waits.ts';

/** Has a human answer a call that policy wants asked. Without anybody to ask, the call is denied. */
export function approve(catalog: Catalog, waits: Waits, ask: Approve | undefined): Stage {
  return (call, next) => {
    if (call.decision?.answer !== 'ask') return next(call);
    return ask === undefined ? nobodyToAsk(call) : asked(call, next, ask);
  };

  async function asked(call: Call, next: Next, human: Approve): Promise<CallOutcome> {
    const refusal = await answer(call, waits, human);
    if (refusal !== undefined) return refusal;
    // The human may have taken long: what was approved must still be what would run.
    const { definition } = toolOf(call);
    if (catalog.find(definition.name)?.definition.definitionHash !== definition.definitionHash) {
      return unfinished(
        'stale',
        'definition-changed',
        `${call.name} changed or went away while its approval was awaited; nothing was run`,
      );
    }
    return next(call);
  }
}

async function answer(call: Call, waits: Waits, ask: Approve): Promise<CallOutcome | undefined> {
  const controller = new AbortController();
  const { definition } = toolOf(call);
  try {
    const request = {
      callId: call.id,
      tool: definition,
      arguments: JSON.parse(call.argumentsText) as JsonObject,
      principal: call.principal,
      session: call.options.session,
      decision: call.decision ?? { answer: 'ask', rule: '', reason: '' },
      signal: controller.signal,
    };
    const waited = await waits.until(Promise.resolve(ask(request)), call.options.signal, call.deadline, () =>
      controller.abort(),
    );
    if ('ended' in waited) return endedOutcome(call, waited.ended, 'an approval was awaited');
    return refusalOf(call, waited.value);
  } catch (error) {
    return unfinished(
      'denied',
      'approval-failed',
      `${call.name} was not run: asking for approval failed: ${messageOf(error)}`,
    );
  }
}

function refusalOf(call: Call, given: ApprovalAnswer | undefined): CallOutcome | undefined {
  if (given?.allow === true) return undefined;
  const reason = given?.allow === false && given.reason !== undefined ? `: ${given.reason}` : '';
  return unfinished('denied', 'approval-denied', `${call.name} was refused by a human${reason}`);
}

function nobodyToAsk(call: Call): CallOutcome {
  const { effect } = toolOf(call).definition;
  return unfinished(
    'denied',
    'approval-unavailable',
    `${call.name} needs approval (${call.decision?.reason}) and nobody can be asked. To allow it, give createSignalbox an ` +
      `"approve" callback that asks a human, or run it from a terminal with "signalbox call"; ` +
      `if the tool only reads, declare effect: "read" (it is "${effect}" now)`,
  );
}
