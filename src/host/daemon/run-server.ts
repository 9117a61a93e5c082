import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '../../config/configuration.ts';
import { prometheusMetrics } from '../../server/prometheus.ts';
import { startServer } from '../../server/start-server.ts';
import type { Schedules } from '../../sessions/schedules.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { PendingBox } from '../box/start-servers.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import { tuneGarbageCollection } from '../tune-v8.ts';
import { type Globals } from '../../cli/globals.ts';
import { shortPath } from '../data-directory.ts';
import type { Interruption } from '../../cli/interruption.ts';
import { unmatchedKeys, unmatchedPatterns, unmatchedRules } from './unmatched-names.ts';
import { printJson } from '../../cli/print-json.ts';
import { printable } from '../../cli/printable.ts';
import type { readConfiguration } from '../read-configuration.ts';
import type { Printer, Terminal } from '../../cli/terminal.ts';
import { adminToken, agentToken } from './local-tokens.ts';
import { banner } from '../../cli/serve/banner.ts';
import { findConsole, reportConsoleBuild } from './console-build.ts';
import { type TraceExport, exportTraces } from './export-traces.ts';
import type { FileWatch } from './file-watch.ts';
import { findFreePort } from './find-port.ts';
import { followConfiguration } from './follow-configuration.ts';
import { startRetention } from './retention.ts';
import { openSchedules, openSessions } from './open-sessions.ts';
import { writeRunFile } from './running-servers.ts';
import type { ServeOptions } from '../../cli/serve/serve-options.ts';
import { StartupProgress } from '../../cli/serve/startup-progress.ts';
import { reportRequiredServers } from './required-servers.ts';

/** What a server runs on. */
export interface ServerGround {
  readonly options: ServeOptions;
  readonly globals: Globals;
  readonly terminal: Terminal;
  readonly configuration: Configuration;
  /** The file that the configuration came from, when there was one. */
  readonly file: string | undefined;
  readonly readConfiguration: typeof readConfiguration;
  /** Has seen the files as they were read. */
  readonly watch: FileWatch;
  /** The box, whose servers are starting. */
  readonly begun: PendingBox;
  readonly interruption: Interruption;
}

const afterListMs = 20;

/** Serves the box of a configuration until it is interrupted. */
export async function runServer(ground: ServerGround): Promise<void> {
  const { options, globals, terminal, configuration, file, watch, begun, interruption } = ground;
  const progress = new StartupProgress(terminal.errors);
  const { errors } = progress;
  const { role } = options;
  // Once there is a file, another one further up is not what is meant when it is away for a moment.
  let config = file;
  const read = (): Configuration => {
    const found = ground.readConfiguration(config === undefined ? globals : { ...globals, config });
    config = found.file;
    return found.configuration;
  };
  const token = adminToken(globals.data);
  const port = await findFreePort(options.host, options.port);
  if (!isLoopback(options.host)) await warnOfOthers(errors, options.host);
  const metrics = prometheusMetrics();
  const configured = await begun.open({ metrics: metrics.metrics, port });
  const { box } = configured;
  const graceMs = options.graceSeconds * 1000;
  const stops: (() => void)[] = [];
  let sessions: Sessions | undefined;
  let schedules: Schedules | undefined;
  let endRetention: (() => Promise<void>) | undefined;
  let traces: TraceExport | undefined;
  try {
    traces = await exportTraces(process.env, box.version, errors);
    if (box.shared.post.isCrossProcess && token.keptIn !== 'SIGNALBOX_TOKEN')
      await warnOfOwnToken(errors, token.keptIn);
    const { keptIn: agentTokenKeptIn } = await agentToken(globals.data, box.tokens);
    if (file === undefined) {
      const endDemo = await (await import('./demo-workspace.ts')).mountDemo(box, globals.data);
      configured.beforeChange = () => {
        if (config !== undefined) endDemo();
      };
    }
    const built = role === 'worker' ? undefined : findConsole(interruption.signal);
    if (built !== undefined) void reportConsoleBuild(built, errors);
    // What waits since the last start is not asked of an agent that does not see its tools yet.
    const mounted = Promise.withResolvers<void>();
    const ready = Promise.all([mounted.promise, box.servers.started()]);
    sessions = await openSessions(configured, { ready, turnsAtOnce: role === 'web' ? 0 : options.turns });
    schedules = openSchedules(box, sessions, {
      ready,
      runs: role !== 'web',
      onProblem: (problem) => void errors.print(`${errors.colors.yellow('warning')}: ${printable(problem)}\n`),
    });
    mounted.resolve();
    const commandLineKey = randomBytes(32).toString('base64url');
    const server = await startServer({
      box,
      role,
      allowedHosts: options.allowedHost,
      host: options.host,
      port,
      token: token.value,
      commandLineKey,
      metrics,
      configuration: configured,
      oauth: () => configured.oauth,
      sessions,
      schedules,
      agentTokenFile: agentTokenKeptIn,
      limits: {
        ...(options.maxCalls === undefined ? {} : { calls: options.maxCalls }),
        drainMs: options.drainSeconds * 1000,
        graceMs,
      },
      ...(built === undefined ? {} : { findConsole: () => built.directory }),
    });
    // All that a call needs is loaded, and most servers outside are still starting.
    tuneGarbageCollection();
    begun.startAll();
    if (options.port !== 0 && server.port !== options.port)
      await errors.print(`port ${options.port} is taken; using ${server.port}\n`);
    const startedInMs = performance.now();
    const startedAt = new Date().toISOString();
    const { file: configurationFile } = configured;
    stops.push(
      writeRunFile(globals.data, {
        url: server.url,
        pid: process.pid,
        startedAt,
        role,
        configuration: configurationFile,
        key: commandLineKey,
      }),
    );
    const facts = {
      version: box.version,
      role,
      startedInMs,
      signInUrl: await server.signInUrl(),
      url: server.url,
      tokenKeptIn: token.keptIn,
      agentTokenKeptIn,
    };
    if (globals.json) {
      const { version, signInUrl, url } = facts;
      const agents = sessions.agents().map(({ name }) => name);
      const journal = box.journal.location;
      const about = { version, role, url, port: server.port, journal, agents };
      await printJson(terminal.output, role === 'worker' ? about : { ...about, signInUrl });
    } else {
      const journal = shortPath(box.journal.location);
      const { countImportableServers } = await import('../../config/import/prepare-import.ts');
      const found = await countImportableServers(configuration);
      await terminal.output.print(
        banner(
          {
            ...facts,
            journal,
            catalog: box.catalog(),
            agents: sessions.agents(),
            policies: box.policies.list(),
            found,
          },
          terminal.output,
        ),
      );
    }
    stops.push(progress.follow(box));
    const tellRules = async (): Promise<void> => {
      for (const line of [...unmatchedKeys(box), ...unmatchedPatterns(box), ...(await unmatchedRules(box))])
        await errors.print(`${errors.colors.yellow('warning')}: ${printable(line)}\n`);
    };
    stops.push(followConfiguration(watch, configured, read, errors, tellRules));
    void configured.ready().then(async () => {
      // Whoever waits for the tools comes first.
      await wait(afterListMs, undefined, { ref: false });
      if (interruption.signal.aborted) return;
      stops.push(reportRequiredServers(box, errors));
      await tellRules();
    });
    if (role !== 'web') endRetention = startRetention(box, () => configured.retention, errors);
    await aborted(interruption.signal);
    await errors.print('stopping: no new requests, waiting for turns and calls under way (again to stop at once)\n');
    await server.close();
  } finally {
    for (const stop of stops) stop();
    await endRetention?.();
    await schedules?.close();
    await sessions?.close({ graceMs });
    await close(configured, errors, graceMs);
    await traces?.close();
  }
}

async function close(configured: ConfiguredBox, errors: Printer, graceMs: number): Promise<void> {
  await errors.print('stopping: closing servers and journal\n');
  await configured.close({ graceMs });
  await errors.print('stopped\n');
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

async function warnOfOwnToken(errors: Printer, keptIn: string): Promise<void> {
  await errors.print(
    `${errors.colors.yellow('warning')}: the admin token is of this machine alone (${keptIn}), and the records may be shared; set the same SIGNALBOX_TOKEN for every server on them, or each knows its own browsers and scripts only\n`,
  );
}

async function warnOfOthers(errors: Printer, host: string): Promise<void> {
  await errors.print(
    `${errors.colors.yellow('warning')}: on ${host} other machines can reach this server, and nothing encrypts the way; put a proxy with TLS in front, or use --host 127.0.0.1\n`,
  );
}
