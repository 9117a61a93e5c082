import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../model/approval.ts';
import type { Progress } from '../../../model/call.ts';
import type { CallClient, Elicitation } from '../../../model/client.ts';
import { reasonOf } from '../../../model/unless-aborted.ts';
import type { Caller } from './caller.ts';

const tickMs = 10_000;
/** Small, so that what the tool itself reports afterwards is still more. */
const step = 0.001;

/** The same for every question: what is known by it is compiled once. */
const allowSchema = {
  type: 'object',
  properties: {
    allow: { type: 'boolean', title: 'Allow this call', description: 'Once, with exactly these arguments' },
  },
  required: ['allow'],
};

/** How the client of a call takes part in its approval: its user is asked, where the profile trusts that user, and else told. */
export function approvalOf({ view, client, principal, onProgress }: Caller): Approve | undefined {
  const { elicit } = client;
  if (view.trustsHuman && elicit !== undefined) {
    const by = { id: `${principal.id} (at its client)`, kind: 'human' } as const;
    return async (request) => answerOf(await elicit.call(client, questionOf(request), { signal: request.signal }), by);
  }
  return onProgress === undefined ? undefined : (request) => waiting(request, onProgress);
}

type Answered = Awaited<ReturnType<NonNullable<CallClient['elicit']>>>;

function answerOf(answer: Answered, by: { readonly id: string; readonly kind: 'human' }): ApprovalAnswer {
  if (answer.action === 'accept' && answer.content?.['allow'] === true) return { allow: true, by };
  return { allow: false, by, reason: 'refused at the client' };
}

function questionOf({ tool, arguments: args, decision, approvalId }: ApprovalRequest): Elicitation {
  const shown = JSON.stringify(args);
  const cut = shown.length > 2000 ? `${shown.slice(0, 2000)}… (${shown.length} characters)` : shown;
  return {
    mode: 'form',
    message: `Allow ${tool.name} (${tool.effect}) with ${cut}? It asks because ${decision.reason} (${approvalId}).`,
    requestedSchema: allowSchema,
  };
}

/** Tells that a human is awaited, until one has answered elsewhere; never answers itself. */
function waiting(request: ApprovalRequest, onProgress: (progress: Progress) => void): Promise<never> {
  const { tool, approvalId, signal } = request;
  return new Promise((_, reject) => {
    let progress = 0;
    const tick = (): void =>
      onProgress({
        progress: (progress += step),
        message: `${tool.name} waits for a human’s approval (${approvalId})`,
      });
    tick();
    const timer = setInterval(tick, tickMs);
    timer.unref();
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(timer);
        reject(reasonOf(signal));
      },
      { once: true },
    );
  });
}
