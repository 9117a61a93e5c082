import { createRequire } from 'node:module';
import type { SourceLimits } from '../../catalog/source-limits.ts';
import type { ConnectionOptions } from './connection.ts';
import type { RecentLines } from './recent-lines.ts';
import { type ServerRequestOptions, answerRequests, capabilitiesFor } from './server-requests.ts';
import type { McpTransport } from './transport-options.ts';
import { type Verdicts, memoryVerdicts } from './verdicts.ts';

/** How a server is reached and used. */
export interface McpServerOptions extends SourceLimits, ServerRequestOptions {
  readonly name: string;
  /** How it is reached; a function is asked anew for each connection, and what it throws is why the server is down. */
  readonly transport: McpTransport | (() => McpTransport | Promise<McpTransport>);
  /** How long it may take to start and shake hands (60 s). */
  readonly connectTimeoutMs?: number;
  /** The largest message it may send, in bytes (64 MB). */
  readonly largestMessage?: number;
  /** Where it is remembered which revision of the protocol the server speaks; in memory when absent. */
  readonly verdicts?: Verdicts;
  /** Compiles the tools’ schemas when they are listed, not when they are first called, so that bad ones are known at once. */
  readonly checkSchemas?: boolean;
  /** Takes secrets out of what is told about the server: why it is down, what it wrote to its error output. */
  readonly redact?: (text: string) => string;
  /** Nothing that needs the box as a whole should begin while this server is not up. */
  readonly required?: boolean;
  /** Stops the server’s process after this long without a call; its tools stay, and the next call starts it again. */
  readonly idleStopMs?: number;
}

/** What only the one who connects knows. */
interface Connecting extends Pick<ConnectionOptions, 'onListChanged'> {
  readonly lines: RecentLines;
  /** Whether to give the server more time to say which revision it speaks: it may be slow to start. */
  readonly patient: boolean;
}

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
const sharedVerdicts = memoryVerdicts();
const usualConnectTimeoutMs = 60_000;
const usualLargestMessage = 64 * 1024 * 1024;
const [probeMs, patientProbeMs] = [3000, 20_000];

/** What one connection is made with. */
export async function connectionOptions(
  options: McpServerOptions,
  { lines, patient, onListChanged }: Connecting,
): Promise<ConnectionOptions> {
  const { transport, roots, onElicit, onSample } = options;
  const requests = {
    ...(roots === undefined ? {} : { roots }),
    ...(onElicit === undefined ? {} : { onElicit }),
    ...(onSample === undefined ? {} : { onSample }),
  };
  return {
    ...requests,
    transport: typeof transport === 'function' ? await transport() : transport,
    version,
    capabilities: capabilitiesFor(requests),
    verdicts: options.verdicts ?? sharedVerdicts,
    lines,
    largestMessage: options.largestMessage ?? usualLargestMessage,
    timeoutMs: options.connectTimeoutMs ?? usualConnectTimeoutMs,
    probeMs: patient ? patientProbeMs : probeMs,
    prepare(client) {
      answerRequests(client, requests);
      client.setNotificationHandler('notifications/message', ({ params: { level, data } }) =>
        lines.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
      );
    },
    onListChanged,
  };
}
