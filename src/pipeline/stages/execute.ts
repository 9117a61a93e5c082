import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Progress } from '../../core/calls/call.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import {
  type RpcError,
  CapabilityMissingError,
  OutcomeUnknownError,
  ServerUnreachableError,
  rpcErrorOf,
} from '../../core/tools/source-errors.ts';
import type { ToolClient } from '../../core/calls/call-client.ts';
import type { SessionState, ToolContext, ToolResources } from '../../core/tools/tool-context.ts';
import { messageOf } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { LightAbortSignal, type AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import type { ExternalRun } from '../begin-call.ts';
import { CallClock } from '../limits/call-clock.ts';
import { type Next, after } from '../stage.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import { invalidCostMessage, toOutcome, reportedCost } from '../results/tool-outcome.ts';
import type { SessionStates } from '../handler/session-states.ts';
import { type AskedCall, toolClient } from '../handler/tool-client.ts';
import { type ResourceBox, toolResources } from '../handler/tool-resources.ts';
import { type EarlyEnd, type Waits, endedOutcome } from '../limits/waits.ts';

/** Dependencies and default limits of the stage. */
export interface ExecuteOptions {
  readonly states: SessionStates;
  readonly waits: Waits;
  readonly redactor: Redactor;
  /** The resources that handlers may read. */
  readonly content: ResourceBox;
  readonly timeoutMs: number;
  /** The largest result that can be stored, in characters. */
  readonly largestResult: number;
}

/** Runs the tool, limited in time and cancellable. A throw, a hang and an invalid result have an outcome too. */
export function execute(options: ExecuteOptions): Next<AdmittedCall> {
  return (call) => run(call, call.tool, options);
}

function run(call: AdmittedCall, tool: CatalogTool, options: ExecuteOptions): MaybePromise<CallOutcome> {
  if (call.options.signal?.aborted === true) return endedOutcome(call, 'cancelled', 'it was about to run');
  const now = Date.now();
  const timeout = tool.definition.timeoutMs ?? tool.source.limits.timeoutMs ?? options.timeoutMs;
  const clock = new CallClock(now + timeout, call.deadline);
  if (clock.end <= now) return endedOutcome(call, 'timed-out', 'it was about to run');
  call.attempts += 1;
  if (call.externalRun !== undefined) return runExternally(call, call.externalRun, tool, clock, options);
  const context = new CallContext(call, tool.source.server, clock, options);
  const judge = (returned: unknown): MaybePromise<CallOutcome> => {
    try {
      const outcome = after(toOutcome(call.name, tool.offered, returned, options.largestResult), (ended) => {
        context.end(undefined);
        return withCost(call, ended, returned);
      });
      return outcome instanceof Promise ? outcome.catch(fail) : outcome;
    } catch (error) {
      return fail(error);
    }
  };
  const fail = (error: unknown): CallOutcome => {
    context.end(undefined);
    call.isLinkBroken = error instanceof ServerUnreachableError || error instanceof OutcomeUnknownError;
    return failure(call, tool, error, options.redactor);
  };
  let running: unknown;
  try {
    running = tool.offered.run(call.arguments, context);
  } catch (error) {
    return fail(error);
  }
  if (!isPromiseLike(running)) return judge(running);
  const handler = running;
  const waiting = options.waits.until(handler, call.options.signal, clock, (ended) => context.end(ended));
  return waiting.then((waited) => {
    if ('value' in waited) return judge(waited.value);
    call.abandonedRun = handler;
    return endedOutcome(call, waited.ended, 'it ran');
  }, fail);
}

/** Lets the caller run the tool, with the same time limits. */
async function runExternally(
  call: AdmittedCall,
  external: ExternalRun,
  { offered }: CatalogTool,
  clock: CallClock,
  { waits, largestResult }: ExecuteOptions,
): Promise<CallOutcome> {
  const running = external.start({ callId: call.id, arguments: call.argumentsJson });
  const waited = await waits.until(running, call.options.signal, clock);
  if ('ended' in waited) {
    call.abandonedRun = running;
    return endedOutcome(call, waited.ended, 'it ran');
  }
  const { outcome, content } = waited.value;
  if (outcome === 'cancelled') return endedOutcome(call, 'cancelled', 'it ran');
  return await toOutcome(call.name, offered, { content, isError: outcome === 'failed' }, largestResult);
}

function withCost(call: AdmittedCall, outcome: CallOutcome, returned: unknown): CallOutcome {
  const cost = reportedCost(returned);
  if (Number.isNaN(cost))
    return failedOutcome('failed', 'result-invalid', `${call.name} ran, but ${invalidCostMessage}`);
  call.costUsd = cost;
  return outcome;
}

function failure(call: AdmittedCall, tool: CatalogTool, error: unknown, redactor: Redactor): CallOutcome {
  const message = redactor.text(messageOf(error));
  if (error instanceof ServerUnreachableError)
    return failedOutcome('failed', 'server-down', `${call.name} was not run: ${message}`);
  if (error instanceof CapabilityMissingError) {
    const outcome = failedOutcome('failed', 'capability-missing', `${call.name} was not run: ${message}`);
    return { ...outcome, error: { ...outcome.error, required: error.required } };
  }
  if (error instanceof OutcomeUnknownError && tool.definition.effect !== 'read')
    return failedOutcome('unknown', 'outcome-lost', `${call.name} may have taken effect: ${message}`);
  const rpc = rpcErrorOf(error);
  return rpc === undefined
    ? failedOutcome('failed', 'tool-failed', `${call.name} failed: ${message}`)
    : refusedByServer(rpc, redactor);
}

/** Returns the outcome for a JSON-RPC error, which passes as the server sent it, without secrets. */
function refusedByServer({ code, message, data }: RpcError, redactor: Redactor): CallOutcome {
  const outcome = failedOutcome('failed', 'tool-failed', redactor.text(message));
  const rpc = {
    code,
    ...(data === undefined ? {} : { data: JSON.parse(redactor.json(JSON.stringify(data))) as JsonValue }),
  };
  return { ...outcome, error: { ...outcome.error, rpc } };
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** The context of a handler. Signal, client and state are created at first use: most handlers need none of them. */
class CallContext implements ToolContext, AskedCall {
  readonly callId;
  readonly session;
  readonly principal;
  readonly profile;
  readonly #call;
  readonly #clock;
  readonly #onProgress;
  readonly server;
  readonly #states;
  readonly #stateChanges;
  readonly #content: ResourceBox;
  #stop: LightAbortSignal | undefined;
  #progress: ((progress: Progress) => void) | undefined;
  #client: ToolClient | undefined;
  #resources: ToolResources | undefined;
  #ended: EarlyEnd | 'settled' | undefined;

  constructor(call: AdmittedCall, server: string, clock: CallClock, { states, content }: ExecuteOptions) {
    this.callId = call.id;
    this.session = call.session;
    this.principal = call.principal;
    this.profile = call.options.profile;
    this.#call = call;
    this.#clock = clock;
    this.#onProgress = call.options.onProgress;
    this.server = server;
    this.#states = states;
    this.#stateChanges = call.stateChanges;
    this.#content = content;
  }

  get signal(): AbortSignal {
    return this.#stopping().signal;
  }

  get ending(): AbortSignalLike {
    return this.#stopping();
  }

  get deadline(): number {
    return this.#clock.deadline;
  }

  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  get client(): ToolClient {
    return (this.#client ??= toolClient(this.#call.options.client, this));
  }

  get resources(): ToolResources {
    return (this.#resources ??= toolResources(this.#content, this));
  }

  hold(): () => void {
    this.#call.hasAskedCaller = true;
    return this.#clock.hold();
  }

  get state(): SessionState {
    const state = this.#states.of(this.session, this.server);
    return this.#stateChanges?.track(state) ?? state;
  }

  get isFollowed(): boolean {
    return this.#onProgress !== undefined;
  }

  /** A bound function, because handlers destructure it. Progress after the end is dropped. */
  get progress(): (progress: Progress) => void {
    return (this.#progress ??= (progress) => {
      if (this.#ended === undefined && this.#onProgress !== undefined) emitSafely(this.#onProgress, progress);
    });
  }

  end(ended: EarlyEnd | undefined): void {
    if (this.#ended !== undefined) return;
    this.#ended = ended ?? 'settled';
    if (ended !== undefined) this.#abort(ended);
  }

  #stopping(): LightAbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new LightAbortSignal();
      if (this.#ended !== undefined) this.#abort(this.#ended);
    }
    return this.#stop;
  }

  #abort(ended: EarlyEnd | 'settled'): void {
    const name = ended === 'timed-out' ? 'TimeoutError' : 'AbortError';
    this.#stop?.abort(new DOMException(`the call is over (${ended})`, name));
  }
}
