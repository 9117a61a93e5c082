import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import {
  type RpcError,
  CapabilityMissingError,
  OutcomeUnknownError,
  ServerUnreachableError,
  rpcErrorOf,
} from '../../core/tools/source-errors.ts';
import { messageOf } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { ExternalRun } from '../begin-call.ts';
import { CallClock } from '../limits/call-clock.ts';
import { type Next, mapMaybe } from '../stage.ts';
import { type AdmittedCall, notRunMessage, timeoutOf } from '../call-lifecycle.ts';
import { invalidCostMessage, toOutcome, reportedCost } from '../results/tool-outcome.ts';
import { CallContext, type ContextParts } from '../handler/tool-context.ts';
import { type Waits, abortedEnd, endedOutcome } from '../limits/waits.ts';

/** Dependencies and default limits of the stage. */
export interface ExecuteOptions extends ContextParts {
  readonly waits: Waits;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** The maximum size of a result that can be stored, measured as about one byte per character of JSON. */
  readonly maxStoredBytes: number;
}

/** Runs the tool, limited in time and cancellable. A throw, a hang and an invalid result have an outcome too. */
export function execute(options: ExecuteOptions): Next<AdmittedCall> {
  return (call) => run(call, call.tool, options);
}

function run(call: AdmittedCall, tool: CatalogTool, options: ExecuteOptions): MaybePromise<CallOutcome> {
  const { signal } = call.options;
  if (signal?.aborted === true) return endedOutcome(call, abortedEnd(signal), 'it was about to run');
  const now = Date.now();
  const clock = new CallClock(now + timeoutOf(tool, options.timeoutMs), call.deadline);
  if (clock.end <= now) return endedOutcome(call, 'timed-out', 'it was about to run');
  call.run.attempts += 1;
  if (call.externalRun !== undefined) return runExternally(call, call.externalRun, tool, clock, options);
  const context = new CallContext(call, tool.source.server, clock, options);
  const toCallOutcome = (returned: unknown): MaybePromise<CallOutcome> => {
    try {
      const outcome = mapMaybe(toOutcome(call.name, tool.offered, returned, options.maxStoredBytes), (ended) => {
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
    call.run.isLinkBroken = error instanceof ServerUnreachableError || error instanceof OutcomeUnknownError;
    const message = options.redactor.text(messageOf(error));
    if (error instanceof OutcomeUnknownError) call.run.lostAttempt = message;
    return failure(call, tool, error, message, options.redactor);
  };
  let running: unknown;
  try {
    running = tool.offered.run(call.args.value, context);
  } catch (error) {
    return fail(error);
  }
  if (!isPromiseLike(running)) return toCallOutcome(running);
  const handler = running;
  const waiting = options.waits.until(handler, call.options.signal, clock, (ended) => context.end(ended));
  return waiting.then((waited) => {
    if ('value' in waited) return toCallOutcome(waited.value);
    call.run.abandoned = handler;
    return endedOutcome(call, waited.ended, 'it ran');
  }, fail);
}

/** Lets the caller run the tool, with the same time limits. */
async function runExternally(
  call: AdmittedCall,
  external: ExternalRun,
  { offered }: CatalogTool,
  clock: CallClock,
  { waits, maxStoredBytes }: ExecuteOptions,
): Promise<CallOutcome> {
  const running = external.start({ callId: call.id, arguments: call.args.json });
  const waited = await waits.until(running, call.options.signal, clock);
  if ('ended' in waited) {
    call.run.abandoned = running;
    return endedOutcome(call, waited.ended, 'it ran');
  }
  const { outcome, content } = waited.value;
  if (outcome === 'cancelled') return endedOutcome(call, 'cancelled', 'it ran');
  return await toOutcome(call.name, offered, { content, isError: outcome === 'failed' }, maxStoredBytes);
}

function withCost(call: AdmittedCall, outcome: CallOutcome, returned: unknown): CallOutcome {
  const cost = reportedCost(returned);
  if (Number.isNaN(cost))
    return failedOutcome('failed', 'result-invalid', `${call.name} ran, but ${invalidCostMessage}`);
  call.run.costUsd = cost;
  return outcome;
}

/** Returns the outcome for an error, whose message was redacted. */
function failure(
  call: AdmittedCall,
  tool: CatalogTool,
  error: unknown,
  message: string,
  redactor: Redactor,
): CallOutcome {
  if (error instanceof ServerUnreachableError)
    return failedOutcome('failed', 'server-down', notRunMessage(call, message));
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
