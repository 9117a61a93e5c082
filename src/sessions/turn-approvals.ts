import { principalName } from '../core/principal.ts';
import type { ApprovalResolved } from '../journal/entries/journal-event.ts';
import type { Approval, ApprovalAnswer, ApprovalRequest } from '../core/calls/approval.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionHappening } from './session-event.ts';

type Resolved = Pick<Extract<SessionHappening, { type: 'approval_resolved' }>, 'decision' | 'by' | 'reason'>;

/** A call of the turn that waits for a human. */
interface Open {
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly resolved: PromiseWithResolvers<Resolved>;
}

const nobody: Resolved = { decision: 'expired', by: 'system' };

/** The approvals that the calls of one turn wait for, as events of the session. Answers come from anywhere. */
export class TurnApprovals {
  readonly #box: Pick<SessionBox, 'approvals' | 'on'>;
  readonly #tell: (happening: SessionHappening) => void;
  readonly #whenAnnounced: (toolCallId: string) => Promise<void>;
  readonly #open = new Set<Open>();
  readonly #told = new Set<Promise<void>>();
  readonly #stop: () => void;
  #isClosed = false;

  constructor(
    box: Pick<SessionBox, 'approvals' | 'on'>,
    tell: (happening: SessionHappening) => void,
    whenAnnounced: (toolCallId: string) => Promise<void>,
  ) {
    this.#box = box;
    this.#tell = tell;
    this.#whenAnnounced = whenAnnounced;
    this.#stop = box.on('ApprovalResolved', (event) => this.#answered(event));
  }

  get count(): number {
    return this.#open.size;
  }

  /** Tells that a call waits. Gives no answer itself: it only ends when nobody needs one any more. */
  ask(toolCallId: string, request: ApprovalRequest): Promise<ApprovalAnswer> {
    const open = { toolCallId, approvalId: request.approvalId, resolved: Promise.withResolvers<Resolved>() };
    // A call that the runtime left behind: nobody hears of it any more.
    if (this.#isClosed) return new Promise(() => undefined);
    this.#open.add(open);
    const told = this.#follow(open, request);
    this.#told.add(told);
    const isOver = told.then(
      () => new Promise<ApprovalAnswer>((resolve) => whenAborted(request.signal, () => resolve({ allow: false }))),
    );
    return isOver.finally(() => this.#told.delete(told));
  }

  /** The turn is over: what still waits does so for nobody. Resolves when everything was told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolved } of this.#open) resolved.resolve({ ...nobody, reason: 'the turn ended; nothing ran' });
    await Promise.allSettled(this.#told);
    this.#stop();
  }

  async #follow(open: Open, { tool, approvalId, signal }: ApprovalRequest): Promise<void> {
    const { toolCallId, resolved } = open;
    try {
      // What people may see: the arguments of the request itself can hold secrets.
      const { arguments: input, hidden, decision, expiresAt } = await this.#box.approvals.get(approvalId);
      await this.#whenAnnounced(toolCallId);
      const { reason, rule } = decision;
      const asked = { toolCallId, approvalId, toolName: tool.name, input, hidden, reason, rule, expiresAt };
      this.#tell({ type: 'approval_required', ...asked });
      whenAborted(signal, () => void this.#lookUp(open));
      const how = await resolved.promise;
      this.#open.delete(open);
      this.#tell({ type: 'approval_resolved', toolCallId, approvalId, ...how });
    } finally {
      this.#open.delete(open);
    }
  }

  #answered({ approvalId, decision, by }: ApprovalResolved): void {
    for (const open of this.#open)
      if (open.approvalId === approvalId) open.resolved.resolve({ decision, by: principalName(by) });
  }

  /** Somebody answered in another process, the time is up, or the call ended. */
  async #lookUp({ approvalId, resolved }: Open): Promise<void> {
    const how = this.#box.approvals.get(approvalId).then(
      (approval) => resolutionOf(approval, 'the call was cancelled; nothing ran'),
      () => nobody,
    );
    resolved.resolve(await how);
  }
}

/** Returns how a question of a turn ended; `reason` is why nobody needs its answer any more, should there be none. */
export function resolutionOf({ state, answer }: Approval, reason: string): Resolved {
  if (answer === undefined) return state === 'pending' ? { ...nobody, reason } : nobody;
  return { decision: state === 'denied' ? 'denied' : 'approved', by: principalName(answer.by) };
}

function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}
