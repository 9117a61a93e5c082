import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../core/calls/approval.ts';
import type { Progress } from '../../../core/calls/call.ts';
import type { CallClient, Elicitation } from '../../../core/calls/call-client.ts';
import type { Principal } from '../../../core/principal.ts';
import { escapeInvisible } from '../../../core/text/escape-invisible.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { abortReason } from '../../../core/async/light-abort-signal.ts';

const tickMs = 10_000;
/** Small, because progress must increase and the tool reports its own progress afterwards. */
const progressStep = 0.001;

const allow = { type: 'boolean', title: 'Allow this call', description: 'Once, with exactly these arguments' };

// Two constant schemas for all questions, so that each is compiled only once.
const allowSchema = { type: 'object', properties: { allow }, required: ['allow'] };
const allowHiddenSchema = {
  type: 'object',
  properties: {
    allow,
    acknowledgeHidden: {
      type: 'boolean',
      title: 'Allow without seeing the hidden parts',
      description: 'Needed to allow this call here: parts of its arguments that may not be secrets are not shown',
    },
  },
  required: ['allow'],
};

const maxArgumentCharacters = 16_000;

/** The parts of a request that decide how its client takes part in approvals. */
interface ApprovingClient {
  readonly view: { readonly trustsHuman: boolean };
  readonly client: CallClient;
  readonly principal: Principal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Returns how the client of a call takes part in its approval. Asks the client's user where the profile trusts that user. In all
 * other cases, only reports that the call waits.
 */
export function approvalFor({ view, client, principal, onProgress }: ApprovingClient): Approve | undefined {
  const { elicit } = client;
  if (view.trustsHuman && elicit !== undefined) {
    const by = { id: `${principal.id} (at its client)`, kind: 'human' } as const;
    return async (request) =>
      toApprovalAnswer(
        await elicit.call(client, toElicitation(request), { signal: request.signal }),
        by,
        describeHidden(request),
      );
  }
  return onProgress === undefined ? undefined : (request) => reportWaiting(request, onProgress);
}

type ElicitResult = Awaited<ReturnType<NonNullable<CallClient['elicit']>>>;

function toApprovalAnswer(
  answer: ElicitResult,
  by: { readonly id: string; readonly kind: 'human' },
  hidden: string | undefined,
): ApprovalAnswer {
  const content = answer.action === 'accept' ? answer.content : undefined;
  if (content?.['allow'] !== true) return { allow: false, by, reason: 'refused at the client' };
  if (hidden === undefined) return { allow: true, by };
  if (content['acknowledgeHidden'] === true) return { allow: true, by, acknowledgeHidden: true };
  return { allow: false, by, reason: `allowed at the client, but ${hidden}, which was not acknowledged there` };
}

function toElicitation(request: ApprovalRequest): Elicitation {
  const { tool, shown, hidden, decision, approvalId, flags = [] } = request;
  const text = textOf(shown);
  const unseen = describeHidden(request);
  const parts = hidden.map(({ path, length, kind }) => `${length} characters at ${escapeInvisible(path)} (${kind})`);
  return {
    mode: 'form',
    message: [
      `Allow ${tool.name} (${tool.effect}) with ${text.slice(0, maxArgumentCharacters).toWellFormed()}?`,
      ...(parts.length === 0 ? [] : [`Hidden: ${parts.join(', ').slice(0, maxArgumentCharacters)}.`]),
      ...(unseen === undefined
        ? []
        : [`To allow it here you have to acknowledge that ${unseen}. ${howToSee(approvalId)}`]),
      `It asks because ${decision.reason} (${approvalId}).`,
      ...(flags.length === 0 ? [] : [`Its definition looks suspicious: ${flags.join('; ')}.`]),
    ].join(' '),
    requestedSchema: unseen === undefined ? allowSchema : allowHiddenSchema,
  };
}

function textOf(shown: JsonObject): string {
  return escapeInvisible(JSON.stringify(shown));
}

/** Describes the part of the arguments that the message does not show, except registered secret values. */
function describeHidden({ shown, hidden }: ApprovalRequest): string | undefined {
  const cut = textOf(shown).length - maxArgumentCharacters;
  const parts = hidden.filter(({ kind }) => kind !== 'registered');
  const characters = parts.reduce((sum, { length }) => sum + length, Math.max(0, cut));
  return characters === 0 ? undefined : `${characters} characters of the arguments are not shown`;
}

function howToSee(approvalId: string): string {
  return `To see and answer it in full: signalbox approvals show ${approvalId} --reveal, or the inbox of the console.`;
}

/** Reports progress while the call waits for a human's answer from another client. Never answers itself. */
function reportWaiting(request: ApprovalRequest, onProgress: (progress: Progress) => void): Promise<never> {
  const { tool, approvalId, signal } = request;
  return new Promise((_, reject) => {
    let progress = 0;
    const tick = (): void =>
      onProgress({
        progress: (progress += progressStep),
        message: `${tool.name} waits for a human’s approval (${approvalId})`,
      });
    tick();
    const timer = setInterval(tick, tickMs);
    timer.unref();
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(timer);
        reject(abortReason(signal));
      },
      { once: true },
    );
  });
}
