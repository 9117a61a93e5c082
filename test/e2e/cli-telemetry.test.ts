import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, suite, test } from 'node:test';
import { CliProject, notesProject } from './cli-project.ts';

/** A request that the collector received. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The parts of a span that the tests check. */
interface Span {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The spans of a request, with the attributes of their resource. */
interface Export {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly Span[];
}

/** Starts an OTLP collector that records its requests. */
async function startCollector(t: TestContext): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(200, { 'content-type': request.headers['content-type'] }).end();
    });
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Serves with these variables, calls a tool and stops; returns the standard error of the server. */
async function serveAndCall(project: CliProject, environment: Readonly<Record<string, string>>): Promise<string> {
  const server = await project.serve(environment);
  const { code, stdout } = await project.run(['call', 'notes/list']);
  assert.deepEqual([code, stdout], [0, '["milk"]\n']);
  return (await server.stop()).stderr;
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

const toAttributes = (pairs: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue]));

function fromJson(body: Buffer): Export[] {
  interface Document {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: readonly KeyValue[] };
      readonly scopeSpans: readonly { readonly spans: readonly { name: string; attributes: readonly KeyValue[] }[] }[];
    }[];
  }
  return (JSON.parse(body.toString()) as Document).resourceSpans.map(({ resource, scopeSpans }) => ({
    resource: toAttributes(resource.attributes),
    spans: scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, attributes }) => ({ name, attributes: toAttributes(attributes) })),
    ),
  }));
}

/** Returns the length-delimited fields of a protobuf message by number. */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message[offset++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (offset < message.length) {
    const tag = varint();
    const [field, wire] = [tag >>> 3, tag & 7];
    if (wire === 0) varint();
    else if (wire === 1) offset += 8;
    else if (wire === 5) offset += 4;
    else {
      const length = varint();
      fields.set(field, [...(fields.get(field) ?? []), message.subarray(offset, (offset += length))]);
    }
  }
  return fields;
}

/** Uses the field numbers of opentelemetry/proto/trace/v1/trace.proto. */
function fromProtobuf(body: Buffer): Export[] {
  const many = (message: Buffer, field: number): Buffer[] => fieldsOf(message).get(field) ?? [];
  const one = (message: Buffer, field: number): Buffer => many(message, field)[0] ?? Buffer.alloc(0);
  const attributes = (pairs: readonly Buffer[]): Record<string, unknown> =>
    Object.fromEntries(pairs.map((pair) => [one(pair, 1).toString(), one(one(pair, 2), 1).toString()]));
  return many(body, 1).map((resourceSpans) => ({
    resource: attributes(many(one(resourceSpans, 1), 1)),
    spans: many(resourceSpans, 2).flatMap((scopeSpans) =>
      many(scopeSpans, 2).map((span) => ({ name: one(span, 5).toString(), attributes: attributes(many(span, 9)) })),
    ),
  }));
}

suite('traces of serve', () => {
  for (const [protocol, type, decode] of [
    ['http/json', 'application/json', fromJson],
    ['http/protobuf', 'application/x-protobuf', fromProtobuf],
  ] as const) {
    test(`are exported to the collector of the standard variables over ${protocol}, at the latest at shutdown`, async (t) => {
      const { url, received } = await startCollector(t);
      const stderr = await serveAndCall(new CliProject(notesProject), {
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=signals',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        // Only the shutdown of the server sends the traces.
        OTEL_BSP_SCHEDULE_DELAY: '600000',
      });
      assert.doesNotMatch(stderr, /telemetry|traces are not exported/);
      assert.deepEqual(
        received.map(({ path, headers }) => [path, headers['content-type'], headers['x-team']]),
        [['/v1/traces', type, 'signals']],
      );
      const [exported] = received.flatMap(({ body }) => decode(body));
      assert.equal(exported?.resource['service.name'], 'signalbox');
      assert.equal(exported.resource['deployment.environment.name'], 'test');
      assert.deepEqual(
        exported.spans.map(({ name, attributes }) => [name, attributes['signalbox.outcome']]),
        [['tools/call mcp__notes__list', 'completed']],
      );
    });
  }

  test('are not exported without the variables, or if the variables disable it', async (t) => {
    const { url, received } = await startCollector(t);
    for (const environment of [
      { OTEL_SERVICE_NAME: 'other' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' },
    ])
      assert.doesNotMatch(await serveAndCall(new CliProject(notesProject), environment), /telemetry|traces/);
    assert.deepEqual(received, []);
  });

  test('are not exported if packages are missing or variables are not supported; the server reports it and runs', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const hooks = `import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) { if (name === '@opentelemetry/sdk-trace-node') throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' }); return next(name, context); } });`;
    for (const [environment, expected] of [
      [
        { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}` },
        /traces are not exported: packages are missing: npm install @opentelemetry\/sdk-trace-node@2 @opentelemetry\/resources@2 @opentelemetry\/exporter-trace-otlp-proto@0\.223\n/,
      ],
      [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /"grpc" is not supported; .* http\/protobuf or http\/json\n/],
      [{ OTEL_TRACES_EXPORTER: 'console' }, /OTEL_TRACES_EXPORTER is "console"; "otlp" and "none" are supported\n/],
    ] as const)
      assert.match(await serveAndCall(new CliProject(notesProject), { ...endpoint, ...environment }), expected);
  });

  test('that the collector rejects are reported, and the server still stops', async () => {
    const stderr = await serveAndCall(new CliProject(notesProject), {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    });
    assert.match(stderr, /stopped\n/);
    assert.match(stderr, /telemetry: .*ECONNREFUSED/);
  });
});
