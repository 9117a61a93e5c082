import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { localUser } from '../access/local-user.ts';
import type { OAuthSettings } from '../config/schema/oauth-schema.ts';
import { messageOf } from '../core/errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { BearerTokens, createTokenMatcher } from './access/bearer-tokens.ts';
import { BrowserSessions } from './access/browser/browser-sessions.ts';
import { allowedHosts, reachableHost } from './access/allowed-hosts.ts';
import type { KeyTimes } from './access/oauth/issuer-keys.ts';
import { OAuthAccess } from './access/oauth/oauth-access.ts';
import { SignInCodes } from './access/browser/sign-in-codes.ts';
import { Admission } from './http/admission.ts';
import type { AppListener } from './http/app-listener.ts';
import { listen } from './http/listen.ts';
import { createMcpRoute } from './http/mcp-route.ts';
import type { ProcessRole } from './process-role.ts';
import { type PrometheusMetrics, createPrometheusMetrics } from './metrics/prometheus-metrics.ts';
import type { FindConsole } from './routes/pages/console-routes.ts';
import type { ServedSchedules } from './routes/sessions/job-routes.ts';
import type { ServedConfiguration } from './routes/servers/served-configuration.ts';
import { keepAliveSeconds } from './http/fast-http/fast-response.ts';
import { FastHttp } from './http/fast-http/fast-http.ts';
import { createGracefulStop } from './http/graceful-stop.ts';

// Not imported: an import reads all exports of the module, and some of them load `fetch`.
const { createServer } = process.getBuiltinModule('node:http');

/** One second more than the announced timeout, because clients count from the receipt of the response. */
const idleTimeoutMs = (keepAliveSeconds + 1) * 1000;

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
  readonly keyTimes?: Partial<KeyTimes>;
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

/** Serves a box over HTTP: the API, the MCP endpoint, the documentation and the console. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { box, host, role = 'all', limits = {} } = options;
  const log = options.log ?? ((line: string) => console.error(line));
  const codes = new SignInCodes(box.shared.keyValues);
  const browserSessions = await BrowserSessions.open(box.shared, options.token);
  const headersTimeout = limits.headersMs ?? 30_000;
  const requestTimeout = limits.requestMs ?? 60_000;
  const maxBodyBytes = limits.bodyBytes ?? 8 * 1024 * 1024;
  const { commandLineKey } = options;
  const bearers = new BearerTokens({
    isAdminToken: createTokenMatcher(options.token),
    isCommandLineKey: commandLineKey === undefined ? undefined : createTokenMatcher(commandLineKey),
    tokens: box.tokens,
  });
  const oauthSettings = options.oauth ?? (() => undefined);
  const oauth = new OAuthAccess({ settings: oauthSettings, log, times: limits.keyTimes });
  const draining = new AbortController();
  const stopping = new AbortController();
  let hosts: ReadonlySet<string> = new Set();
  let url: string | undefined;

  const metrics = options.metrics ?? createPrometheusMetrics();
  const admission = new Admission(limits, (reason) => metrics.shed(reason));

  const parts = {
    box,
    configuration: options.configuration,
    codes,
    browserSessions,
    sessions: options.sessions,
    findConsole: options.findConsole,
    schedules: options.schedules,
    startedAt: new Date(),
    maxBodyBytes,
    bearers,
    allowedHosts: () => hosts,
    url: () => url ?? '',
    clients: () => mcp.clients(),
    agentTokenFile: options.agentTokenFile,
    role,
    admission,
    draining: draining.signal,
    stopping: stopping.signal,
    log,
  };
  const mcp = createMcpRoute({
    box,
    maxBodyBytes,
    allowedHosts: () => hosts,
    bearers,
    oauth,
    admission,
    inbox: () => url,
    ...(limits.approvalWaitMs === undefined ? {} : { approvalWaitMs: limits.approvalWaitMs }),
    log,
  });
  // The Hono routes are loaded with the first request for them, so that MCP clients can connect sooner.
  let loadedRoutes: Promise<AppListener> | undefined;
  const loadRoutes = async (): Promise<AppListener> => {
    const [{ createAppListener }, registry] = await Promise.all([import('./http/app-listener.ts'), metrics.registry()]);
    return createAppListener({ ...parts, registry });
  };
  const serveRoutes = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const listener = await (loadedRoutes ??= loadRoutes());
      if (!response.destroyed) await listener(request, response);
    } catch (error) {
      // Only a damaged package fails here: the routes handle their own errors.
      log(`the routes cannot be loaded: ${messageOf(error)}`);
      response.destroy();
    }
  };
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: keepAliveSeconds * 1000,
      connectionsCheckingInterval: Math.min(headersTimeout, 5000),
    },
    (request, response) => {
      if (role === 'worker' || !mcp.serveNodeRequest(request, response)) void serveRoutes(request, response);
    },
  );
  // A caller may pass the token to a tool; the journal must not contain it.
  box.secrets.add('SIGNALBOX_TOKEN', options.token);
  if (commandLineKey !== undefined) box.secrets.add('command-line key', commandLineKey);
  // The console serves the inbox, so approvals can be requested.
  const detach = box.approvals.attach({ name: 'console', ask: () => undefined });
  const fastHttp = new FastHttp(server, {
    isHandled: (path) => role !== 'worker' && mcp.isHandled(path),
    serve: (request, response, body) => mcp.serve(request, response, body),
    limits: {
      headersMs: headersTimeout,
      requestMs: requestTimeout,
      keepAliveMs: idleTimeoutMs,
      bodyBytes: maxBodyBytes,
    },
  });
  const stop = createGracefulStop(server, { fastHttp, graceMs: limits.graceMs ?? 5000, draining: draining.signal });
  const port = await listen(server, host, options.port);
  // A configured public URL means that a proxy serves it, which may forward its host name.
  const publicUrl = oauthSettings()?.url;
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  hosts = allowedHosts(host, port, [...(options.allowedHosts ?? []), ...publicHosts]);
  const base = `http://${reachableHost(host)}:${port}`;
  url = base;
  let closing: Promise<void> | undefined;
  return { url: base, port, signInUrl: () => codes.linkAt(base, localUser()), close: () => (closing ??= close()) };

  async function close(): Promise<void> {
    draining.abort();
    if (limits.drainMs !== undefined && limits.drainMs > 0) await wait(limits.drainMs);
    detach();
    mcp.stopListening();
    const stopped = stop();
    // Ends the streams, which would stay open.
    stopping.abort();
    await stopped;
    mcp.close();
    browserSessions.stop();
  }
}
