import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/calls/approval.ts';
import type { CallOptions, CallResult } from '../../../core/calls/call.ts';
import type { QuestionOptions, Elicitation, ElicitationAnswer } from '../../../core/calls/call-client.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { newSecretId } from '../../../core/identifiers.ts';
import type { ServerContext } from '../../http/server-context.ts';
import { toProblem } from '../../problems/to-problem.ts';
import { defaultHeartbeatMs, eventStreamHeaders, heartbeatFrame, toEventFrame } from '../../streams/event-streams.ts';

/** A question of a tool that waits for the caller's answer. */
interface OpenQuestion {
  readonly principal: string;
  readonly resolve: (answer: ElicitationAnswer) => void;
}

/** A running call, and the principal that owns it. */
interface StreamedCall {
  readonly principal: string;
  readonly cancel: () => void;
}

/** The call options that report to the caller. */
type CallReporting = Pick<CallOptions, 'signal' | 'approve' | 'onProgress' | 'client'>;

/** Streams the events of running calls to their callers as server-sent events, and holds their open questions. */
export class StreamedCalls {
  readonly #pending = new Map<string, OpenQuestion>();
  readonly #running = new Map<string, StreamedCall>();
  /** Aborted when the server stops and the calls that still run must end. */
  readonly #ending: AbortSignal;
  readonly #log: (line: string) => void;

  constructor(ending: AbortSignal, log: (line: string) => void) {
    this.#ending = ending;
    this.#log = log;
  }

  /**
   * Runs a call and streams what it reports; the first event is `started`, the last one `result`, or `problem` when there is none.
   * The call is cancelled when the client closes the connection.
   */
  async respond(
    context: ServerContext,
    { canAnswer }: { readonly canAnswer: boolean },
    run: (reports: CallReporting) => Promise<CallResult>,
  ): Promise<Response> {
    const { outgoing } = context.env;
    const principal = context.var.principal.id;
    const id = newSecretId('stream');
    const cancelled = new AbortController();
    const cancel = (): void => cancelled.abort();
    outgoing.once('close', cancel);
    if (outgoing.closed) cancel();
    this.#running.set(id, { principal, cancel });
    outgoing.writeHead(200, eventStreamHeaders);
    const send = (event: string, data: object): void => void outgoing.write(toEventFrame({ event, data }));
    // A client that reads slowly misses progress and log messages instead of filling memory with them.
    const sendIfRead = (event: string, data: object): void => {
      if (!outgoing.writableNeedDrain) send(event, data);
    };
    const heartbeats = setInterval(
      () => outgoing.writableNeedDrain || outgoing.write(heartbeatFrame),
      defaultHeartbeatMs,
    );
    const elicit = (request: Elicitation, options: QuestionOptions): Promise<ElicitationAnswer> =>
      this.#elicit(principal, request, options, send);
    send('started', { id });
    try {
      const result = await run({
        signal: AbortSignal.any([cancelled.signal, this.#ending]),
        approve: (request) => requestApproval(request, send),
        onProgress: (progress) => sendIfRead('progress', progress),
        client: { log: (message) => sendIfRead('log', message), ...(canAnswer ? { elicit } : {}) },
      });
      send('result', result);
    } catch (error) {
      send('problem', toProblem(error, this.#log).document());
    } finally {
      this.#running.delete(id);
      clearInterval(heartbeats);
      outgoing.end();
    }
    return RESPONSE_ALREADY_SENT;
  }

  /** Cancels a call; its result is still streamed. Rejects with `call-unknown` when it has ended, or is of another principal. */
  cancel(id: string, principal: string): void {
    const call = this.#running.get(id);
    if (call?.principal !== principal)
      throw new SignalboxError('call-unknown', `there is no streamed call with the id ${id.slice(0, 100)}`);
    call.cancel();
  }

  /** Answers a question of a tool. Rejects with `question-unknown` when it does not wait, or waits for another principal. */
  submit(id: string, principal: string, answer: ElicitationAnswer): void {
    const pending = this.#pending.get(id);
    if (pending?.principal !== principal)
      throw new SignalboxError('question-unknown', `there is no pending question with the id ${id.slice(0, 100)}`);
    this.#pending.delete(id);
    pending.resolve(answer);
  }

  async #elicit(
    principal: string,
    request: Elicitation,
    { signal }: QuestionOptions,
    send: (event: string, data: object) => void,
  ): Promise<ElicitationAnswer> {
    const id = newSecretId('elic');
    const { promise, resolve } = Promise.withResolvers<ElicitationAnswer>();
    const withdraw = (): void => {
      if (this.#pending.delete(id)) send('elicitation-closed', { id });
      resolve({ action: 'cancel' });
    };
    this.#pending.set(id, { principal, resolve });
    signal.addEventListener('abort', withdraw, { once: true });
    send('elicitation', { id, request });
    if (signal.aborted) withdraw();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }
}

/** Reports the approval request. The first answer through the approvals API wins. */
function requestApproval(
  { signal, expiresAt, ...request }: ApprovalRequest,
  send: (event: string, data: object) => void,
): Promise<ApprovalAnswer> {
  const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
  const close = (): void => {
    send('approval-closed', { approvalId: request.approvalId });
    // The approval was decided by another client or has expired, so this answer is ignored.
    resolve({ allow: false });
  };
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  send('approval', { ...request, expiresAt: expiresAt.toISOString() });
  return promise;
}
