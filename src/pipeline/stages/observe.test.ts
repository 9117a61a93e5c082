import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { type SignalboxOptions, createSignalbox, defineTool, localServer } from '../../index.ts';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

async function spansOf(
  args: object,
  options: SignalboxOptions = {},
): Promise<ReturnType<InMemorySpanExporter['getFinishedSpans']>> {
  exporter.reset();
  const go = defineTool({
    name: 'go',
    description: 'Does it.',
    input: { type: 'object' },
    effect: 'read',
    async run({ fail }: Record<string, unknown>) {
      await Promise.resolve();
      trace.getTracer('inside').startSpan('inside the handler').end();
      if (fail === true) throw new Error('it broke with hunter2-hunter2');
      return 'done with hunter2-hunter2';
    },
  });
  const box = await createSignalbox({
    ...options,
    servers: [localServer({ name: 't', tools: [go] })],
    secrets: { PASSWORD: 'hunter2-hunter2' },
  });
  await box.call('mcp__t__go', args, { session: 's1' });
  await box.close();
  return exporter.getFinishedSpans();
}

describe('telemetry', () => {
  test('a call has one span by the GenAI and MCP conventions, and spans of the handler are its children', async () => {
    const [inside, span] = await spansOf({ note: 'private' });
    assert.equal(span?.name, 'tools/call mcp__t__go');
    assert.equal(inside?.parentSpanContext?.spanId, span?.spanContext().spanId);
    assert.equal(span?.attributes['gen_ai.operation.name'], 'execute_tool');
    assert.equal(span?.attributes['gen_ai.tool.name'], 'mcp__t__go');
    assert.match(String(span?.attributes['gen_ai.tool.call.id']), /^call_/);
    assert.equal(span?.attributes['mcp.method.name'], 'tools/call');
    assert.equal(span?.attributes['mcp.session.id'], 's1');
    assert.equal(span?.attributes['signalbox.outcome'], 'completed');
    assert.ok(!JSON.stringify(span?.attributes).includes('private'), 'arguments are not on the span by default');
  });

  test('a failed tool is reported as tool_error, without secrets', async () => {
    const [, span] = await spansOf({ fail: true });
    assert.equal(span?.attributes['error.type'], 'tool_error');
    assert.equal(span?.status.message, 'mcp__t__go failed: it broke with [redacted:PASSWORD]');
  });

  test('arguments and results are on the span only with traceContent, redacted', async () => {
    const [, span] = await spansOf({ note: 'hunter2-hunter2' }, { traceContent: true });
    assert.equal(span?.attributes['gen_ai.tool.call.arguments'], '{"note":"[redacted:PASSWORD]"}');
    assert.equal(span?.attributes['gen_ai.tool.call.result'], 'done with [redacted:PASSWORD]');
  });

  test('the metrics receive the start and the end of each call', async () => {
    const events: unknown[] = [];
    await spansOf(
      { fail: true },
      {
        metrics: {
          callStarted: () => events.push('started'),
          callEnded: ({ server, tool, outcome, seconds }) => events.push([server, tool, outcome, seconds < 5]),
        },
      },
    );
    assert.deepEqual(events, ['started', ['t', 'mcp__t__go', 'failed', true]]);
  });
});
