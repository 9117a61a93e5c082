import { SpanKind, SpanStatusCode, type Span, type Tracer, context, trace } from '@opentelemetry/api';
import type { Redactor } from '../../journal/redaction.ts';
import type { CallOutcome } from '../../model/call.ts';
import { renderContent } from '../../model/content.ts';
import { after } from '../after.ts';
import type { Call, Stage } from '../call.ts';
import type { CallMetrics } from '../metrics.ts';

/** What leaves the box by way of telemetry. */
export interface ObserveOptions {
  readonly tracer: Tracer;
  readonly metrics: CallMetrics | undefined;
  readonly redactor: Redactor;
  /** Puts arguments and results on spans; they may hold private data, so only on request. */
  readonly content: boolean;
}

/** One span for each call, by the GenAI and MCP conventions, and the counters. Costs next to nothing when nobody listens. */
export function observe(options: ObserveOptions): Stage {
  return (call, next) => {
    options.metrics?.callStarted();
    const span = options.tracer.startSpan(`tools/call ${call.name}`, { kind: SpanKind.INTERNAL });
    const recording = span.isRecording();
    const coming = recording ? context.with(trace.setSpan(context.active(), span), next, undefined, call) : next(call);
    return after(coming, (outcome) => {
      if (recording) describe(span, call, outcome, options);
      span.end();
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

function describe(span: Span, call: Call, outcome: CallOutcome, { content, redactor }: ObserveOptions): void {
  span.setAttributes({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.tool?.definition.name ?? call.name,
    'gen_ai.tool.call.id': call.id,
    'mcp.method.name': 'tools/call',
    'signalbox.outcome': outcome.outcome,
  });
  if (call.tool !== undefined)
    span.setAttributes({
      'gen_ai.tool.description': call.tool.definition.description,
      'signalbox.server': call.tool.source.server,
    });
  if (call.options.session !== undefined) span.setAttribute('mcp.session.id', call.options.session);
  if (call.decision !== undefined)
    span.setAttributes({ 'signalbox.decision': call.decision.answer, 'signalbox.rule': call.decision.rule });
  if (content) {
    span.setAttribute('gen_ai.tool.call.arguments', redactor.json(call.argumentsText));
    span.setAttribute('gen_ai.tool.call.result', redactor.text(renderContent(outcome.content, 10_000)));
  }
  if (outcome.error !== undefined) {
    span.setAttribute('error.type', outcome.error.code === 'tool-failed' ? 'tool_error' : outcome.error.code);
    span.setStatus({ code: SpanStatusCode.ERROR, message: redactor.text(outcome.error.message) });
  }
}
