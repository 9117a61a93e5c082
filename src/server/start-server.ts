import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { localUser } from '../access/local-user.ts';
import { closingReason, messageOf } from '../core/errors.ts';
import { BearerTokens, createTokenMatcher } from './access/tokens/bearer-tokens.ts';
import { BrowserSessions } from './access/browser/browser-sessions.ts';
import { allowedHosts, reachableHost } from './access/allowed-hosts.ts';
import { OAuthAccess } from './access/oauth/oauth-access.ts';
import { SignInCodes } from './access/browser/sign-in-codes.ts';
import { Admission } from './http/admission.ts';
import type { AppListener } from './app.ts';
import { createMcpRoute } from './http/mcp-route.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';
import { createPrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { keepAliveSeconds } from './http/fast-http/fast-response.ts';
import { FastHttp } from './http/fast-http/fast-http.ts';
import { createGracefulStop } from './http/graceful-stop.ts';

// Not imported: an import reads all exports of the module, and some of them load `fetch`.
const { createServer } = process.getBuiltinModule('node:http');

/** One second more than the announced timeout, because clients count from the receipt of the response. */
const idleTimeoutMs = (keepAliveSeconds + 1) * 1000;

const maxPortAttempts = 20;
const maxPort = 65_535;

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
  const ending = new AbortController();
  let hosts: ReadonlySet<string> = new Set();
  let url: string | undefined;

  const metrics = options.metrics ?? createPrometheusMetrics();
  const admission = new Admission(limits, (reason) => metrics.shed(reason));

  const shared = { box, maxBodyBytes, allowedHosts: () => hosts, bearers, admission, log };
  const mcp = createMcpRoute({
    ...shared,
    oauth,
    inbox: () => url,
    ...(limits.approvalWaitMs === undefined ? {} : { approvalWaitMs: limits.approvalWaitMs }),
  });
  const startedAt = new Date();
  // The Hono routes are loaded with the first request for them, so that MCP clients can connect sooner.
  let loadedRoutes: Promise<AppListener> | undefined;
  const loadRoutes = async (): Promise<AppListener> => {
    const [{ createAppListener }, registry] = await Promise.all([import('./app.ts'), metrics.registry()]);
    return createAppListener({
      ...options,
      ...shared,
      role,
      registry,
      codes,
      browserSessions,
      startedAt,
      url: () => url ?? '',
      clients: () => mcp.clients(),
      draining: draining.signal,
      stopping: stopping.signal,
      ending: ending.signal,
    });
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
  const stop = createGracefulStop(server, {
    fastHttp,
    graceMs: limits.graceMs ?? 5000,
    draining: draining.signal,
    endCalls() {
      ending.abort(closingReason());
      mcp.endCalls();
    },
  });
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
    box.endApprovalWaits();
    // Ends the streams, which would stay open.
    stopping.abort();
    await stopped;
    mcp.close();
    browserSessions.stop();
  }
}

/** Listens on `port`, or on the next free one, and returns the actual port. Port 0 is any free one. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  const last = port === 0 ? 0 : Math.min(port + maxPortAttempts, maxPort);
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      server.listen({ host, port: candidate, exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`all ports from ${port} to ${last} on ${host} are in use; choose another one with --port`);
}
