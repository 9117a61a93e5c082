import type { OAuthSettings } from '../config/schema/oauth-schema.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import type { KeyCacheTimes } from './access/oauth/issuer-keys.ts';
import type { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import type { FindConsole } from './routes/pages/console-routes.ts';
import type { ServedConfiguration } from './routes/servers/served-configuration.ts';
import type { ServedSchedules } from './routes/sessions/job-routes.ts';

/** The roles of a server process. */
export const processRoles = ['all', 'web', 'worker'] as const;

/** `web` serves requests; `worker` runs turns and jobs, and serves only probes and metrics; `all` does both. */
export type ProcessRole = (typeof processRoles)[number];

/** Options of `startServer`. */
export interface ServerOptions {
  readonly box: InternalSignalbox;
  /** The configuration of the box; absent when it was created from code. */
  readonly configuration?: ServedConfiguration;
  /** The sessions to serve. The server does not close them. */
  readonly sessions?: Sessions;
  /** The schedules to serve. The server does not close them. */
  readonly schedules?: ServedSchedules;
  /** The role of this process (`all`). */
  readonly role?: ProcessRole;
  readonly host: string;
  /** The next free port is used when it is taken; 0 uses any free one. */
  readonly port: number;
  /** The admin token. */
  readonly token: string;
  /** The key by which the command line of this machine is recognized; absent where no run file has one. */
  readonly commandLineKey?: string;
  /** The file with the token for agents on this machine, which the commands that connect clients read. */
  readonly agentTokenFile?: string;
  /** The metrics of `/metrics`, as passed to `createSignalbox`. Without them, `/metrics` covers only the process. */
  readonly metrics?: Pick<PrometheusMetrics, 'registry' | 'shed'>;
  /** Other values of `Host` to accept, such as `signalbox.example:443` behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Returns the directory of the built console, when it is built. */
  readonly findConsole?: FindConsole;
  /** The authorization servers whose tokens the MCP endpoint accepts; read with every request. */
  readonly oauth?: () => OAuthSettings | undefined;
  /** Logs internal errors (standard error). */
  readonly log?: (line: string) => void;
  readonly limits?: ServerLimits;
}

/** Limits and timeouts of the server. */
export interface ServerLimits {
  /** The largest body (8 MB). */
  readonly bodyBytes?: number;
  /** Timeouts for the headers of a request, also on a new connection (30 s), and for the whole request (60 s). */
  readonly headersMs?: number;
  readonly requestMs?: number;
  /** The maximum of concurrent calls (4096), and of those by one principal (half of it). More are refused with 503 and 429. */
  readonly calls?: number;
  readonly callsOfOne?: number;
  /**
   * The time for which `close` continues to serve while readiness reports 503, so that load balancers switch to other replicas
   * (0).
   */
  readonly drainMs?: number;
  /** The time for which running requests may continue when the server stops (5 s). */
  readonly graceMs?: number;
  /** The time for which a call of an MCP client waits for approval before it returns the URL of the inbox (50 s). */
  readonly approvalWaitMs?: number;
  /** The cache times for the keys of authorization servers. */
  readonly keyTimes?: Partial<KeyCacheTimes>;
}

/** A running server. */
export interface RunningServer {
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** Returns a link that signs in one browser, once, within ten minutes. */
  signInUrl(): Promise<string>;
  /** Stops accepting requests, waits for the running ones, and closes. The box stays open. */
  close(): Promise<void>;
}
