import { parseName } from '../../core/tools/tool-names.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../core/calls/approval.ts';
import type { CallResult, Progress } from '../../core/calls/call.ts';
import type { CallClient, Elicitation, LogMessage } from '../../core/calls/call-client.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { CliError } from '../cli-error.ts';
import { toRenderedName } from '../input/resolve-tool.ts';
import { isSettled, waitForCatalog } from './remote-catalog.ts';
import type { ServerClient } from './server-client.ts';

/** A call to make at a server, and the callbacks for what it reports. */
export interface RemoteCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly principal: Principal;
  readonly session?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** The maximum time to wait for an approval; when absent, until the question expires. */
  readonly waitMs?: number | undefined;
  /** Cancels the call; its result still arrives. */
  readonly signal: AbortSignal;
  /** Asks the person at the terminal; absent without a terminal. */
  readonly approve?: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  readonly client: CallClient;
  readonly onProgress: (progress: Progress) => void;
}

/** Returns the catalog of a server as soon as it has a tool of this name, or no server is starting that could add it. */
export async function waitForTool(
  client: ServerClient,
  given: string,
  { signal, waitMs }: { readonly signal: AbortSignal; readonly waitMs: number },
): Promise<CatalogSnapshot> {
  const named = parseName(toRenderedName(given) ?? '')?.server;
  const isEnough = (catalog: CatalogSnapshot): boolean => {
    if (catalog.tools.some(({ id, name }) => id.tool === given || name === given)) return true;
    const server = catalog.servers.find(({ name }) => name === named);
    return server === undefined ? isSettled(catalog) : server.connecting !== true;
  };
  return await waitForCatalog(client, isEnough, { signal, waitMs });
}

/** Makes a call at a server and answers what it asks; resolves with its result. */
export async function callRemoteTool(client: ServerClient, call: RemoteCall): Promise<CallResult> {
  const { tool, principal, session, idempotencyKey, timeoutMs, waitMs, signal } = call;
  const questions = new OpenQuestions(client, call);
  // JSON omits the undefined properties.
  const body = {
    arguments: call.arguments,
    sessionId: session,
    idempotencyKey,
    timeoutSeconds: timeoutMs && timeoutMs / 1000,
    waitSeconds: waitMs && waitMs / 1000,
    elicitation: call.client.elicit && true,
  };
  let cancel: (() => void) | undefined;
  try {
    const path = `/api/tools/${encodeURIComponent(tool)}/call`;
    for await (const { event, data } of client.events(path, { body, principal })) {
      if (event === 'started') {
        const { id } = data as { id: string };
        cancel = () => void client.request('DELETE', `/api/call-streams/${id}`, { principal }).catch(() => undefined);
        if (signal.aborted) cancel();
        else signal.addEventListener('abort', cancel, { once: true });
      } else if (event === 'result') return data as CallResult;
      else if (event === 'problem') throw problemOf(data as { code: string; detail: string });
      else questions.take(event, data);
    }
  } finally {
    if (cancel !== undefined) signal.removeEventListener('abort', cancel);
    questions.close();
  }
  const what = `the server at ${client.url} closed the connection before the call had an outcome`;
  throw new CliError(1, 'server-lost', what, { next: 'signalbox journal shows its record' });
}

function problemOf({ code, detail }: { readonly code: string; readonly detail: string }): Error {
  return code === 'box-closed'
    ? new SignalboxError('box-closed', detail)
    : new CliError(1, code, detail, { next: 'signalbox status' });
}

/** The open questions of a call. */
class OpenQuestions {
  readonly #client: ServerClient;
  readonly #call: RemoteCall;
  readonly #open = new Map<string, AbortController>();

  constructor(client: ServerClient, call: RemoteCall) {
    this.#client = client;
    this.#call = call;
  }

  take(event: string, data: unknown): void {
    const { onProgress, client, approve } = this.#call;
    switch (event) {
      case 'progress':
        return onProgress(data as Progress);
      case 'log':
        return client.log?.(data as LogMessage);
      case 'approval': {
        const { expiresAt, ...request } = data as Omit<ApprovalRequest, 'expiresAt' | 'signal'> & { expiresAt: string };
        if (approve === undefined) return;
        return this.#ask(request.approvalId, async (signal) => {
          const answer = await approve({ ...request, expiresAt: new Date(expiresAt), signal });
          if (!signal.aborted) await this.#answerApproval(request.approvalId, answer);
        });
      }
      case 'elicitation': {
        const { id, request } = data as { id: string; request: Elicitation };
        const { elicit } = client;
        if (elicit === undefined) return;
        return this.#ask(id, async (signal) => {
          const answer = await elicit(request, { signal });
          if (!signal.aborted) await this.#post(`/api/call-questions/${id}`, answer);
        });
      }
      case 'approval-closed':
        return this.#withdraw((data as { approvalId: string }).approvalId);
      case 'elicitation-closed':
        return this.#withdraw((data as { id: string }).id);
      default:
        // A newer server may send other events.
        return;
    }
  }

  close(): void {
    for (const id of this.#open.keys()) this.#withdraw(id);
  }

  #ask(id: string, work: (signal: AbortSignal) => Promise<void>): void {
    const question = new AbortController();
    this.#open.set(id, question);
    // The answer came too late, or the question was withdrawn. The result of the call shows the outcome.
    void work(question.signal)
      .catch(() => undefined)
      .finally(() => this.#open.delete(id));
  }

  #withdraw(id: string): void {
    this.#open.get(id)?.abort();
  }

  async #answerApproval(id: string, answer: ApprovalAnswer): Promise<void> {
    const { by } = answer;
    if (answer.allow) await this.#post(`/api/approvals/${id}/approve`, {}, by);
    else await this.#post(`/api/approvals/${id}/deny`, { reason: answer.reason }, by);
  }

  async #post(path: string, body: object, by: Principal = this.#call.principal): Promise<void> {
    await this.#client.request('POST', path, { body, principal: by });
  }
}
