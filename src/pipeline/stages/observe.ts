import type * as Telemetry from '@opentelemetry/api';
import { createRequire } from 'node:module';
import type { Redactor } from '../../redaction/redactor.ts';
import type { CallOutcome, OutcomeName } from '../../core/calls/call-outcome.ts';
import { renderContent } from '../../core/tools/content.ts';
import { type Next, type Stage, mapMaybe } from '../stage.ts';
import type { Call } from '../call-lifecycle.ts';

/** Receives counts and durations of calls. The host implements it with its own meter. */
export interface CallMetrics {
  callStarted(): void;
  callEnded(call: {
    readonly server: string;
    readonly tool: string;
    readonly outcome: OutcomeName;
    readonly seconds: number;
  }): void;
}

/** Options of the stage. */
export interface ObserveOptions {
  /** The version of this package. */
  readonly version: string;
  readonly metrics: CallMetrics | undefined;
  readonly redactor: Redactor;
  /** Puts arguments and results on spans. Off by default, because they may hold private data. */
  readonly content: boolean;
}

/** Emits one span for each call, following the GenAI and MCP semantic conventions, and updates the metrics. */
export function observe(options: ObserveOptions): Stage<Call> {
  return (call, next) => {
    options.metrics?.callStarted();
    const api = telemetry();
    const pending = api === undefined ? next(call) : traced(api, call, next, options);
    return mapMaybe(pending, (outcome) => {
      options.metrics?.callEnded({
        server: call.tool?.source.server ?? 'none',
        tool: call.tool?.definition.name ?? 'unknown',
        outcome: outcome.outcome,
        seconds: (Date.now() - call.startedAt) / 1000,
      });
      return outcome;
    });
  };
}

async function traced(
  { SpanKind, SpanStatusCode, context, trace }: typeof Telemetry,
  call: Call,
  next: Next<Call>,
  options: ObserveOptions,
): Promise<CallOutcome> {
  const tracer = trace.getTracer('signalbox', options.version);
  const span = tracer.startSpan(`tools/call ${shortName(call, options.redactor)}`, { kind: SpanKind.INTERNAL });
  const recording = span.isRecording();
  const outcome = recording
    ? await context.with(trace.setSpan(context.active(), span), next, undefined, call)
    : await next(call);
  if (recording) {
    describe(span, call, outcome, options);
    if (outcome.error !== undefined) describeError(span, outcome.error, SpanStatusCode.ERROR, options);
  }
  span.end();
  return outcome;
}

function describe(span: Telemetry.Span, call: Call, outcome: CallOutcome, { content, redactor }: ObserveOptions): void {
  span.setAttributes({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.tool?.definition.name ?? shortName(call, redactor),
    'gen_ai.tool.call.id': call.id,
    'mcp.method.name': 'tools/call',
    'signalbox.outcome': outcome.outcome,
  });
  if (call.tool !== undefined)
    span.setAttributes({
      'gen_ai.tool.description': call.tool.definition.description,
      'signalbox.server': call.tool.source.server,
    });
  if (call.session !== undefined) span.setAttribute('mcp.session.id', call.session);
  if (call.decision !== undefined)
    span.setAttributes({ 'signalbox.decision': call.decision.answer, 'signalbox.rule': call.decision.rule });
  if (content) {
    span.setAttribute('gen_ai.tool.call.arguments', redactor.json(call.args.text));
    // Redacted before it is cut to its final length, because half a secret would not be recognized.
    span.setAttribute(
      'gen_ai.tool.call.result',
      redactor.text(renderContent(outcome.content, 40_000)).slice(0, 10_000),
    );
  }
}

/** Returns the name that the caller gave, which is any text. */
function shortName({ name }: Call, redactor: Redactor): string {
  return redactor.text(name).slice(0, 200);
}

function describeError(
  span: Telemetry.Span,
  error: NonNullable<CallOutcome['error']>,
  code: Telemetry.SpanStatusCode,
  { redactor }: ObserveOptions,
): void {
  span.setAttribute('error.type', error.code === 'tool-failed' ? 'tool_error' : error.code);
  span.setStatus({ code, message: redactor.text(error.message) });
}

const require = createRequire(import.meta.url);
/** The key under which all copies of the API share their registration. */
const registered = Symbol.for('opentelemetry.js.api.1');
let loaded: typeof Telemetry | undefined;

/** Returns OpenTelemetry once a provider is registered in this process. Until then it is not loaded. */
function telemetry(): typeof Telemetry | undefined {
  if (!(registered in globalThis)) return undefined;
  return (loaded ??= require('@opentelemetry/api') as typeof Telemetry);
}
