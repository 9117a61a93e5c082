import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CatalogSnapshot, missingServers } from '../../catalog/snapshot.ts';
import type { Configuration } from '../../config/configuration.ts';
import { createPrometheusMetrics } from '../../server/metrics/prometheus-metrics.ts';
import type { ProcessRole } from '../../server/server-options.ts';
import { startServer } from '../../server/start-server.ts';
import type { Schedules } from '../../sessions/schedules/schedules.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { PendingBox } from '../box/open-box.ts';
import type { HostLocation } from '../data-directory.ts';
import { environment } from '../environment.ts';
import type { HostLog } from '../host-log.ts';
import { readConfiguration } from '../read-configuration.ts';
import { tuneGarbageCollection } from '../tune-v8.ts';
import { findConsole, logConsoleBuild } from './console-build.ts';
import { type TraceExport, exportTraces } from './export-traces.ts';
import type { FileWatch } from './file-watch.ts';
import { findFreePort } from './find-port.ts';
import { followConfiguration } from './follow-configuration.ts';
import { logServerChanges } from './log-server-changes.ts';
import { adminToken, agentToken } from './local-tokens.ts';
import { nameWarnings } from './name-warnings.ts';
import { openSchedules, openSessions } from './open-sessions.ts';
import { startRetention } from './retention.ts';
import { writeRunFile } from './run-files.ts';

/** The settings of a server from the command line. */
export interface ServeSettings {
  /** The port. 0 means any. */
  readonly port: number;
  /** Whether the next free port is used when the port is taken. */
  readonly mayMovePort: boolean;
  readonly host: string;
  readonly role: ProcessRole;
  /** Host headers to accept in addition to its own address. */
  readonly allowedHost: readonly string[];
  /** The maximum number of concurrent turns. */
  readonly turns: number;
  /** The maximum number of concurrent calls; others are rejected with status 503. */
  readonly maxCalls?: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}

/** Options of `runServer`. */
export interface RunServerOptions {
  readonly settings: ServeSettings;
  readonly location: HostLocation;
  /** The file that the configuration was read from, if there is one. */
  readonly file: string | undefined;
  /** Watches the files of the configuration, from before they were read. */
  readonly watch: FileWatch;
  /** The box, whose servers are starting. */
  readonly pending: PendingBox;
  /** Aborted to stop the server. */
  readonly signal: AbortSignal;
  readonly log: HostLog;
  /** Called when the server answers requests. Returns a function to call when it stops. */
  onReady(server: ReadyServer): Promise<() => void>;
}

/** A server that answers requests. */
export interface ReadyServer {
  readonly box: InternalSignalbox;
  readonly sessions: Sessions;
  readonly url: string;
  readonly port: number;
  /** A link that signs a browser in once. */
  readonly signInUrl: string;
  /** The locations of the admin token and the token for agents. */
  readonly adminTokenLocation: string;
  readonly agentTokenLocation: string;
  /** Milliseconds since the process started. */
  readonly startedInMs: number;
}

/** The delay lets waiting clients receive their tools before warnings are computed. */
const warningDelayMs = 20;

/** Runs the server of a configuration until its signal is aborted. */
export async function runServer(options: RunServerOptions): Promise<void> {
  const { settings, location, file, watch, pending, signal, log } = options;
  const { data } = location;
  const { role } = settings;
  // Once a file was found, it is read again by its path: while it is missing, one in a parent directory must not replace it.
  let config = file;
  const read = (): Configuration => {
    const found = readConfiguration({ config: config ?? location.config });
    config = found.file;
    return found.configuration;
  };
  const token = adminToken(data);
  const port = await findFreePort(settings.host, settings.port, settings.mayMovePort);
  if (!isLoopback(settings.host))
    log.warn(
      `other machines can reach this server on ${settings.host}, and the connection is not encrypted; put a proxy with TLS in front, or use --host 127.0.0.1`,
    );
  const metrics = createPrometheusMetrics();
  const configured = await pending.open({ metrics: metrics.metrics, port });
  const { box } = configured;
  const graceMs = settings.graceSeconds * 1000;
  const stops: (() => void)[] = [];
  let sessions: Sessions | undefined;
  let schedules: Schedules | undefined;
  let stopRetention: (() => Promise<void>) | undefined;
  let traces: TraceExport | undefined;
  try {
    traces = await exportTraces(environment, box.version, log);
    if (box.shared.pubSub.isCrossProcess && token.location !== 'SIGNALBOX_TOKEN')
      log.warn(
        `the admin token (${token.location}) is known only on this machine, and other servers may share the records; set the same SIGNALBOX_TOKEN on every server, or each accepts only its own browsers and scripts`,
      );
    const agentTokenLocation = await agentToken(data, box.tokens);
    if (file === undefined) {
      const unmountDemo = await mountDemo(box, data);
      configured.beforeChange = () => {
        if (config !== undefined) unmountDemo();
      };
    }
    const build = role === 'worker' ? undefined : findConsole(signal);
    if (build !== undefined) void logConsoleBuild(build, log);
    // Interrupted work resumes only when agents see their tools.
    const mounted = Promise.withResolvers<void>();
    const ready = Promise.all([mounted.promise, box.servers.started()]);
    sessions = await openSessions(configured, { ready, turnsAtOnce: role === 'web' ? 0 : settings.turns });
    schedules = openSchedules(box, sessions, {
      ready,
      runs: role !== 'web',
      onProblem: (problem) => log.warn(problem),
    });
    mounted.resolve();
    const commandLineKey = randomBytes(32).toString('base64url');
    const server = await startServer({
      box,
      role,
      allowedHosts: settings.allowedHost,
      host: settings.host,
      port,
      token: token.value,
      commandLineKey,
      metrics,
      configuration: configured,
      oauth: () => configured.oauth,
      sessions,
      schedules,
      agentTokenFile: agentTokenLocation,
      limits: {
        ...(settings.maxCalls === undefined ? {} : { calls: settings.maxCalls }),
        drainMs: settings.drainSeconds * 1000,
        graceMs,
      },
      ...(build === undefined ? {} : { findConsole: () => build.directory }),
    });
    // All code that a call needs is loaded at this point, and most external servers are still starting.
    tuneGarbageCollection();
    pending.startAll();
    if (settings.port !== 0 && server.port !== settings.port)
      log.info(`port ${settings.port} is taken; using ${server.port}`);
    const startedInMs = performance.now();
    stops.push(
      writeRunFile(data, {
        url: server.url,
        pid: process.pid,
        startedAt: new Date().toISOString(),
        role,
        configuration: configured.file,
        key: commandLineKey,
      }),
    );
    stops.push(
      await options.onReady({
        box,
        sessions,
        url: server.url,
        port: server.port,
        signInUrl: await server.signInUrl(),
        adminTokenLocation: token.location,
        agentTokenLocation,
        startedInMs,
      }),
    );
    const warnOfUnmatchedNames = async (): Promise<void> => {
      for (const warning of await nameWarnings(box)) log.warn(warning);
    };
    stops.push(followConfiguration(watch, configured, read, log, warnOfUnmatchedNames));
    void configured.ready().then(async () => {
      await wait(warningDelayMs, undefined, { ref: false });
      if (signal.aborted) return;
      stops.push(logRequiredServers(box, log), logServerChanges(box, log));
      await warnOfUnmatchedNames();
    });
    if (role !== 'web') stopRetention = startRetention(box, () => configured.retention, log);
    await aborted(signal);
    log.info('stopping: no new requests, waiting for running turns and calls (press Ctrl-C again to stop at once)');
    await server.close();
  } finally {
    for (const stop of stops) stop();
    await stopRetention?.();
    await schedules?.close();
    await sessions?.close({ graceMs });
    log.info('stopping: closing servers and journal');
    await configured.close({ graceMs });
    log.info('stopped');
    await traces?.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** Mounts the demo server, so that a new user without a configuration has a tool of each kind. Returns a function that unmounts it. */
async function mountDemo(box: InternalSignalbox, data: string): Promise<() => void> {
  const { demoServer, prepareDemo } = await import('../../sources/local/demo-server.ts');
  const directory = join(data, 'demo');
  await prepareDemo(directory);
  const server = demoServer(directory);
  box.servers.add(server);
  let isMounted = true;
  return () => {
    if (isMounted) void box.servers.remove(server.server);
    isMounted = false;
  };
}

/** Logs the required servers that are not up, now and on each change. Returns a function that stops logging. */
function logRequiredServers(box: InternalSignalbox, log: HostLog): () => void {
  let logged = new Map<string, string>();
  const check = (snapshot: CatalogSnapshot): void => {
    const missing = new Map(missingServers(snapshot).map(({ name, reason }) => [name, reason ?? 'it is down']));
    for (const [name, reason] of missing) if (logged.get(name) !== reason) log.warn(`required ${reason}`);
    for (const name of logged.keys()) if (!missing.has(name)) log.info(`required server "${name}" is up`);
    logged = missing;
  };
  check(box.catalog());
  return box.on('CatalogChanged', check);
}
