import { messageOf } from '../../core/errors.ts';
import type { Environment } from '../environment.ts';
import type { HostLog } from '../host-log.ts';

/** Traces that are being exported. */
export interface TraceExport {
  /** Sends the remaining spans and stops. */
  close(): Promise<void>;
}

/** The exporter package of each protocol. */
const exporters = {
  'http/protobuf': {
    package: '@opentelemetry/exporter-trace-otlp-proto@0.223',
    load: () => import('@opentelemetry/exporter-trace-otlp-proto'),
  },
  'http/json': {
    package: '@opentelemetry/exporter-trace-otlp-http@0.223',
    load: () => import('@opentelemetry/exporter-trace-otlp-http'),
  },
} as const;
type Protocol = keyof typeof exporters;

const maxFlushMs = 5000;

/**
 * Exports traces over OTLP when the standard `OTEL_…` variables name an endpoint. Returns `undefined` when they do not. A failure is
 * only logged, because the variables may be meant for other programs. The SDK reads more of these variables itself.
 */
export async function exportTraces(
  environment: Environment,
  version: string,
  log: HostLog,
): Promise<TraceExport | undefined> {
  if (!isRequested(environment)) return undefined;
  const warn = (text: string): void => log.warn(`traces are not exported: ${text}`);
  const kind = environment['OTEL_TRACES_EXPORTER'] ?? '';
  if (kind !== '' && kind !== 'otlp') {
    warn(`OTEL_TRACES_EXPORTER is "${kind}"; "otlp" and "none" are supported`);
    return undefined;
  }
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  if (!isProtocol(protocol)) {
    warn(`the protocol "${protocol}" is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to ${protocols()}`);
    return undefined;
  }
  try {
    return await start(protocol, version, log);
  } catch (error) {
    const isMissing = (error as { code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
    const packages = `@opentelemetry/sdk-trace-node@2 @opentelemetry/resources@2 ${exporters[protocol].package}`;
    warn(isMissing ? `packages are missing: npm install ${packages}` : messageOf(error));
    return undefined;
  }
}

/** Returns whether the variables request an export explicitly. */
function isRequested(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

function isProtocol(text: string): text is Protocol {
  return Object.hasOwn(exporters, text);
}

function protocols(): string {
  return Object.keys(exporters).join(' or ');
}

async function start(protocol: Protocol, version: string, log: HostLog): Promise<TraceExport> {
  const [
    { BatchSpanProcessor, NodeTracerProvider },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
    { OTLPTraceExporter },
    { DiagLogLevel, diag },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/resources'),
    exporters[protocol].load(),
    import('@opentelemetry/api'),
  ]);
  const warn = (message: string): void => log.warn(`telemetry: ${message}`);
  const ignore = (): void => undefined;
  // Reports a collector that cannot be reached; without a logger the SDK logs nothing.
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const own = resourceFromAttributes({ 'service.name': 'signalbox', 'service.version': version });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these defaults.
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return {
    async close() {
      // A collector that does not respond must not block shutdown.
      const late = new Promise<void>((resolve) => setTimeout(resolve, maxFlushMs).unref());
      await Promise.race([provider.shutdown().catch((error: unknown) => warn(messageOf(error))), late]);
    },
  };
}
