import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { configurationFiles } from '../../config/configuration-files.ts';
import type { Configuration } from '../../config/configuration.ts';
import { type ProcessRole, processRoles } from '../../server/process-role.ts';
import { prometheusMetrics } from '../../server/prometheus.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import type { CommandContext } from '../command-context.ts';
import { usageFailure } from '../fail.ts';
import type { Schedules } from '../../sessions/schedules.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { ConfiguredBox } from '../configured/configured-box.ts';
import { boundGarbage } from '../garbage.ts';
import { type Globals, globalsOf, shortPath } from '../globals.ts';
import { Interruption } from '../interruption.ts';
import { loadBoxParts } from '../load-box-parts.ts';
import { unmatchedRules } from '../policy/unmatched-rules.ts';
import { printJson } from '../print-json.ts';
import { printable } from '../printable.ts';
import { tellWarnings } from '../tell-warnings.ts';
import type { Printer, Terminal } from '../terminal.ts';
import { unmatchedPatterns } from '../unmatched-patterns.ts';
import { adminToken } from './admin-token.ts';
import { agentToken } from './agent-token.ts';
import { banner } from './banner.ts';
import { findConsole, tellBuild } from './console-build.ts';
import { findPort } from './find-port.ts';
import { FileWatch } from './file-watch.ts';
import { followConfiguration } from './follow-configuration.ts';
import { keepRetention } from './keep-retention.ts';
import { openSessions } from './open-sessions.ts';
import { tellRunning } from './running-servers.ts';
import { tellRequired } from './tell-required.ts';

const afterListMs = 20;

interface Options {
  readonly port: number;
  readonly host: string;
  readonly role: ProcessRole;
  readonly allowedHost: readonly string[];
  readonly turns: number;
  readonly maxCalls?: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}

/** `signalbox serve`: the HTTP API and the page. */
export function addServeCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('serve')
    .summary('start the server: HTTP API, MCP endpoint, sessions with agents, page')
    .description(
      'Starts the server and runs until Ctrl-C or SIGTERM; then lets turns and calls under way end, and stops.',
    )
    .option('--port <port>', 'the port to listen on; the next free one when it is taken', parsePort, 4242)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--allowed-host <name>',
      'another host and port to answer to, as clients name a proxy in front (repeatable)',
      (name: string, names: readonly string[]) => [...names, name],
      [],
    )
    .addOption(
      new Option(
        '--role <role>',
        'with other processes on one PostgreSQL: "web" runs no turns and no jobs, "worker" runs them and answers probes alone',
      )
        .choices(processRoles)
        .default('all'),
    )
    .option('--turns <count>', 'how many turns run at once, those that wait for a human not counted', parseCount, 32)
    .option('--max-calls <number>', 'how many calls may be under way; more are refused with 503 (4096)', parseCount)
    .option('--drain-seconds <seconds>', 'goes on for so long when told to stop, no longer ready', parseSeconds, 0)
    .option('--grace-seconds <seconds>', 'then lets turns and calls under way go on for so long', parseSeconds, 5)
    .action(async (options: Options, command: Command) => {
      await serve(options, globalsOf(command), terminal);
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 (any free one) to 65535.');
  return port;
}

/** Roles are for processes that share their work. */
async function assertRole({ role }: Options, { store }: Configuration, data: string): Promise<void> {
  if (role === 'all') return;
  const { resolvedStore } = await import('../open-store.ts');
  if (isPostgresAddress(await resolvedStore(store, data))) return;
  throw usageFailure(`--role ${role} needs other processes that do the rest, and "store" is ${JSON.stringify(store)}`, {
    next: 'set "store": "postgres://…" in the configuration, or SIGNALBOX_STORE; or leave --role out',
  });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return Number(text);
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.');
  return Number(text);
}

async function serve(options: Options, globals: Globals, terminal: Terminal): Promise<void> {
  const { errors } = terminal;
  const { openConfiguredBox, readConfiguration } = await loadBoxParts();
  const { configuration, file } = readConfiguration(globals);
  const { role } = options;
  await assertRole(options, configuration, globals.data);
  const watch = new FileWatch();
  watch.watch(configurationFiles(configuration));
  await tellWarnings(configuration, globals, errors);
  // Once there is a file, another one further up is not what is meant when it is away for a moment.
  let config = file;
  let endDemo: (() => void) | undefined;
  const read = (): Configuration => {
    const found = readConfiguration(config === undefined ? globals : { ...globals, config });
    config = found.file;
    if (config !== undefined) endDemo?.();
    return found.configuration;
  };
  const token = adminToken(globals.data);
  const port = await findPort(options.host, options.port);
  if (!isLoopback(options.host)) await warnOfOthers(errors, options.host);
  const interruption = new Interruption();
  const metrics = prometheusMetrics();
  const configured = await openConfiguredBox(configuration, {
    data: globals.data,
    secretsFrom: globals.data,
    metrics: metrics.metrics,
    port,
    waitMs: 0,
  });
  const { box } = configured;
  const graceMs = options.graceSeconds * 1000;
  const stops: (() => void)[] = [];
  let sessions: Sessions | undefined;
  let schedules: Schedules | undefined;
  let endRetention: (() => Promise<void>) | undefined;
  try {
    if (box.shared.post.reachesOthers && token.keptIn !== 'SIGNALBOX_TOKEN') await warnOfOwnToken(errors, token.keptIn);
    const { keptIn: agentTokenKeptIn } = await agentToken(globals.data, box.tokens);
    if (file === undefined) endDemo = await (await import('./demo-workspace.ts')).mountDemo(box, globals.data);
    // The servers outside are starting meanwhile.
    const built = role === 'worker' ? undefined : findConsole(interruption.signal);
    if (built !== undefined) void tellBuild(built, errors);
    const { openSchedules } = await import('./open-schedules.ts');
    const { startServer } = await import('../../server/start-server.ts');
    // What waits since the last start is not asked of an agent that does not see its tools yet.
    const mounted = Promise.withResolvers<void>();
    const ready = Promise.all([mounted.promise, configured.ready()]);
    sessions = await openSessions(configured, { ready, turnsAtOnce: role === 'web' ? 0 : options.turns });
    schedules = openSchedules(box, sessions, {
      ready,
      runs: role !== 'web',
      onProblem: (problem) => void errors.print(`${errors.colors.yellow('warning')}: ${printable(problem)}\n`),
    });
    mounted.resolve();
    const server = await startServer({
      box,
      role,
      allowedHosts: options.allowedHost,
      host: options.host,
      port,
      token: token.value,
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
    if (options.port !== 0 && server.port !== options.port)
      await errors.print(`port ${options.port} is taken; using ${server.port}\n`);
    const startedInMs = performance.now();
    const startedAt = new Date().toISOString();
    stops.push(tellRunning(globals.data, { url: server.url, pid: process.pid, startedAt }));
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
      const { findClientFiles } = await import('../../config/import/client-files.ts');
      const found = await findClientFiles(configuration);
      await terminal.output.print(
        banner(
          {
            ...facts,
            journal,
            catalog: box.catalog(),
            agents: sessions.agents(),
            policies: box.policies(),
            found,
          },
          terminal.output,
        ),
      );
    }
    const tellRules = async (): Promise<void> => {
      for (const line of [...unmatchedPatterns(box), ...(await unmatchedRules(box))])
        await errors.print(`${errors.colors.yellow('warning')}: ${printable(line)}\n`);
    };
    stops.push(followConfiguration(watch, configured, read, errors, tellRules));
    void configured.ready().then(async () => {
      // Whoever waits for the tools comes first.
      await wait(afterListMs, undefined, { ref: false });
      boundGarbage();
      if (interruption.signal.aborted) return;
      stops.push(tellRequired(box, errors));
      await tellRules();
    });
    if (role !== 'web') endRetention = keepRetention(box, () => configured.retention, errors);
    await aborted(interruption.signal);
    await errors.print('stopping: no new requests, waiting for turns and calls under way (again to stop at once)\n');
    await server.close();
  } finally {
    for (const stop of stops) stop();
    await endRetention?.();
    await schedules?.close();
    await sessions?.close({ graceMs });
    await close(configured, errors, graceMs);
    interruption.stop();
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
