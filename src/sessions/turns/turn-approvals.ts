import { principalName } from '../../core/principal.ts';
import type { ApprovalResolved } from '../../journal/entries/journal-event.ts';
import type { Approval, ApprovalAnswer, ApprovalRequest } from '../../core/calls/approval.ts';
import type { SessionBox } from '../session-box.ts';
import type { SessionEventBody } from '../events/session-event.ts';

type Resolved = Pick<Extract<SessionEventBody, { type: 'approval_resolved' }>, 'decision' | 'by' | 'reason'>;

/** A call of the turn that waits for a human. */
interface OpenApproval {
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly resolved: PromiseWithResolvers<Resolved>;
}

const expired: Resolved = { decision: 'expired', by: 'system' };

/** Shows the approvals that the calls of one turn wait for as session events. The answers may come through any channel. */
export class TurnApprovals {
  readonly #box: Pick<SessionBox, 'approvals' | 'on'>;
  readonly #emit: (event: SessionEventBody) => void;
  readonly #whenAnnounced: (toolCallId: string) => Promise<void>;
  readonly #open = new Set<OpenApproval>();
  readonly #pending = new Set<Promise<void>>();
  readonly #stop: () => void;
  #isClosed = false;

  constructor(
    box: Pick<SessionBox, 'approvals' | 'on'>,
    emit: (event: SessionEventBody) => void,
    whenAnnounced: (toolCallId: string) => Promise<void>,
  ) {
    this.#box = box;
    this.#emit = emit;
    this.#whenAnnounced = whenAnnounced;
    this.#stop = box.on('ApprovalResolved', (event) => this.#answered(event));
  }

  get count(): number {
    return this.#open.size;
  }

  /** Emits that a call waits. The answer comes through the inbox; this promise resolves only when no answer is needed any more. */
  ask(toolCallId: string, request: ApprovalRequest): Promise<ApprovalAnswer> {
    const open = { toolCallId, approvalId: request.approvalId, resolved: Promise.withResolvers<Resolved>() };
    // The runtime abandoned the call, so no event is written for it.
    if (this.#isClosed) return new Promise(() => undefined);
    this.#open.add(open);
    const follow = this.#follow(open, request);
    this.#pending.add(follow);
    const isOver = follow.then(
      () => new Promise<ApprovalAnswer>((resolve) => whenAborted(request.signal, () => resolve({ allow: false }))),
    );
    return isOver.finally(() => this.#pending.delete(follow));
  }

  /** Closes the open approvals when the turn ends. Resolves when their events are emitted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolved } of this.#open) resolved.resolve({ ...expired, reason: 'the turn ended; nothing ran' });
    await Promise.allSettled(this.#pending);
    this.#stop();
  }

  async #follow(open: OpenApproval, { tool, approvalId, signal }: ApprovalRequest): Promise<void> {
    const { toolCallId, resolved } = open;
    try {
      // The inbox returns redacted arguments; those of the request can contain secrets.
      const { arguments: input, hidden, decision, expiresAt } = await this.#box.approvals.get(approvalId);
      await this.#whenAnnounced(toolCallId);
      const { reason, rule } = decision;
      const asked = { toolCallId, approvalId, toolName: tool.name, input, hidden, reason, rule, expiresAt };
      this.#emit({ type: 'approval_required', ...asked });
      whenAborted(signal, () => void this.#readResolution(open));
      const how = await resolved.promise;
      this.#open.delete(open);
      this.#emit({ type: 'approval_resolved', toolCallId, approvalId, ...how });
    } finally {
      this.#open.delete(open);
    }
  }

  #answered({ approvalId, decision, by }: ApprovalResolved): void {
    for (const open of this.#open)
      if (open.approvalId === approvalId) open.resolved.resolve({ decision, by: principalName(by) });
  }

  /** Reads the result of an approval that was answered in another process, has expired, or whose call ended. */
  async #readResolution({ approvalId, resolved }: OpenApproval): Promise<void> {
    const how = this.#box.approvals.get(approvalId).then(
      (approval) => toApprovalResolution(approval, 'the call was cancelled; nothing ran'),
      () => expired,
    );
    resolved.resolve(await how);
  }
}

/** Returns the result of an approval. `reason` explains why no answer is needed, when there is none. */
export function toApprovalResolution({ state, answer }: Approval, reason: string): Resolved {
  if (answer === undefined) return state === 'pending' ? { ...expired, reason } : expired;
  return { decision: state === 'denied' ? 'denied' : 'approved', by: principalName(answer.by) };
}

function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}
