import { localUser } from '../access/local-user.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { OAuthSettings } from '../config/schema/oauth-schema.ts';
import { messageOf } from '../core/errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { adminTokenCheck } from './access/admin-token.ts';
import { BearerTokens } from './access/bearer-tokens.ts';
import { BrowserSessions } from './access/browser-sessions.ts';
import { allowedHosts, reachableHost } from './access/hosts.ts';
import type { KeyTimes } from './access/oauth/issuer-keys.ts';
import { OAuthAccess } from './access/oauth/oauth-access.ts';
import { SignInCodes } from './access/sign-in-codes.ts';
import { Admission } from './admission.ts';
import type { AppListener } from './app-listener.ts';
import { listen } from './listen.ts';
import { mcpRoute } from './mcp-route.ts';
import type { ProcessRole } from './process-role.ts';
import { type PrometheusMetrics, prometheusMetrics } from './prometheus.ts';
import type { FindConsole } from './routes/console.ts';
import type { ServedSchedules } from './routes/jobs.ts';
import type { ServedConfiguration } from './served-configuration.ts';
import { keptSeconds } from './short-way/short-response.ts';
import { ShortWay } from './short-way/short-way.ts';
import { stoppable } from './stop.ts';

// Not imported: the names of the module as an ES module include those that load all of `fetch`.
const { createServer } = process.getBuiltinModule('node:http');

/** A second more than clients are told, who count from when they got the answer. */
const keptMs = (keptSeconds + 1) * 1000;

/** What a server is made of. */
export interface ServerOptions {
  readonly box: InternalSignalbox;
  /** The configuration the box runs from, if it does. */
  readonly configuration?: ServedConfiguration;
  /** Conversations with agents, if there are any to talk to. The server does not close them. */
  readonly sessions?: Sessions;
  /** Jobs that begin sessions at their times, if any are kept. The server does not close them. */
  readonly schedules?: ServedSchedules;
  /** What this process does of it all (`all`). */
  readonly role?: ProcessRole;
  readonly host: string;
  /** Taken ports are passed over for the next free one; 0 is any free one. */
  readonly port: number;
  /** The admin token. */
  readonly token: string;
  /** The key by which the command line of this machine is recognized; absent where no run file has one. */
  readonly commandLineKey?: string;
  /** Where the token for agents of this machine is kept, which the command lines that connect them read. */
  readonly agentTokenFile?: string;
  /** What `/metrics` shows: the same that was given to `createSignalbox`. Without it, only the process is measured. */
  readonly metrics?: Pick<PrometheusMetrics, 'registry' | 'shed'>;
  /** Other values of `Host` to answer to, for instance `signalbox.example:443` behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Where the built console is; waits for it where it is still being built. */
  readonly findConsole?: FindConsole;
  /** Whose tokens the MCP endpoint takes besides its own; looked at with every request. */
  readonly oauth?: () => OAuthSettings | undefined;
  /** Where faults are told (standard error). */
  readonly log?: (line: string) => void;
  readonly limits?: ServerLimits;
}

/** How much a client may ask of the server. */
export interface ServerLimits {
  /** The largest body (8 MB). */
  readonly bodyBytes?: number;
  /** How long a client may take to send its headers, also on a connection it opened ahead (30 s), and its whole request (60 s). */
  readonly headersMs?: number;
  readonly requestMs?: number;
  /** How many calls may be under way (4096), and how many of one principal (half of them); what is more is refused with 503 and 429. */
  readonly calls?: number;
  readonly callsOfOne?: number;
  /** How long the server goes on as before when it is closed, while its readiness tells balancers to go elsewhere (0). */
  readonly drainMs?: number;
  /** How long requests under way may go on when the server stops (5 s). */
  readonly graceMs?: number;
  /** How long a call of an MCP client waits for a human before it ends by saying where people answer (50 s). */
  readonly approvalWaitMs?: number;
  /** How often the keys of authorization servers are read. */
  readonly keyTimes?: Partial<KeyTimes>;
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  /** The port it got, which is another one than asked for when that was taken. */
  readonly port: number;
  /** A link that signs one browser in, once, within ten minutes. */
  signInUrl(): Promise<string>;
  /** Takes no new requests, lets those under way end, and closes. The box stays open. */
  close(): Promise<void>;
}

/** Serves a box over HTTP: API, documentation and pages. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { box, host, role = 'all', limits = {} } = options;
  const log = options.log ?? ((line: string) => console.error(line));
  const codes = new SignInCodes(box.shared.keyValues);
  const browserSessions = await BrowserSessions.with(box.shared, options.token);
  const headersTimeout = limits.headersMs ?? 30_000;
  const requestTimeout = limits.requestMs ?? 60_000;
  const maxBodyBytes = limits.bodyBytes ?? 8 * 1024 * 1024;
  const { commandLineKey } = options;
  const bearers = new BearerTokens({
    isAdminToken: adminTokenCheck(options.token),
    isCommandLineKey: commandLineKey === undefined ? undefined : adminTokenCheck(commandLineKey),
    tokens: box.tokens,
  });
  const oauthSettings = options.oauth ?? (() => undefined);
  const oauth = new OAuthAccess({ settings: oauthSettings, log, times: limits.keyTimes });
  const draining = new AbortController();
  const stopping = new AbortController();
  let hosts: ReadonlySet<string> = new Set();
  let url: string | undefined;

  const metrics = options.metrics ?? prometheusMetrics();
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
  const mcp = mcpRoute({
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
  // Clients of MCP are not kept waiting for the rest, which is loaded with the first request for it.
  let others: Promise<AppListener> | undefined;
  const load = async (): Promise<AppListener> => {
    const [{ appListener }, registry] = await Promise.all([import('./app-listener.ts'), metrics.registry()]);
    return appListener({ ...parts, registry });
  };
  const serveOthers = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const listener = await (others ??= load());
      if (!response.destroyed) await listener(request, response);
    } catch (error) {
      // The package is damaged: routes themselves answer for what fails in them.
      log(`the routes cannot be loaded: ${messageOf(error)}`);
      response.destroy();
    }
  };
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: keptSeconds * 1000,
      // Slow senders are looked for this often.
      connectionsCheckingInterval: Math.min(headersTimeout, 5000),
    },
    (request, response) => {
      if (role === 'worker' || !mcp.take(request, response)) void serveOthers(request, response);
    },
  );
  // Whoever holds the token may well hand it to a tool; it must not get into the journal by that.
  box.secrets.add('SIGNALBOX_TOKEN', options.token);
  if (commandLineKey !== undefined) box.secrets.add('command-line key', commandLineKey);
  // People who can open the inbox can be asked.
  const detach = box.approvals.attach({ name: 'console', ask: () => undefined });
  const shortWay = new ShortWay(server, {
    isFor: (address) => role !== 'worker' && mcp.isFor(address),
    serve: (request, response, body) => mcp.serve(request, response, body),
    limits: { headersMs: headersTimeout, requestMs: requestTimeout, keptMs, bodyBytes: maxBodyBytes },
  });
  const stop = stoppable(server, { shortWay, graceMs: limits.graceMs ?? 5000, draining: draining.signal });
  const port = await listen(server, host, options.port);
  // Whoever says by which address clients come has a proxy there, which may pass the name on.
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
    // Streams would go on for ever.
    stopping.abort();
    await stopped;
    mcp.close();
    browserSessions.stop();
  }
}
