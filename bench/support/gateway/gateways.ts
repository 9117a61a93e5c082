import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtLauncher } from '../../../test/support/built-package.ts';
import { freePort } from '../../../test/support/free-port.ts';
import type { Peer } from './install-peers.ts';
import { type GatewayAddress, LeanClient } from './lean-client.ts';

/** A server behind a gateway: a program on stdio, or an address. */
type Server = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

/** What is behind a gateway: one server, or several by name. */
export type Behind = Server | { readonly servers: Readonly<Record<string, Server>> };

/** A gateway that can be started in front of a server. */
export interface Gateway {
  readonly name: string;
  /** Whether it is somebody else's product. */
  readonly isPeer: boolean;
  /** Some take only servers on stdio. */
  readonly takesHttp: boolean;
  /** How it is run, in a directory of its own, before which anything may be prepared. */
  prepare(port: number, behind: Behind, directory: string): Prepared;
}

interface Prepared {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly address: Omit<GatewayAddress, 'port'>;
}

/** A gateway that runs. */
export interface RunningGateway {
  readonly name: string;
  readonly pid: number;
  readonly client: LeanClient;
  /** From its start to the first answer with the server's tools. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** Our own program at that path below the repository. */
export function programAt(path: string): string {
  return fileURLToPath(new URL(path, new URL('../../../', import.meta.url)));
}

const streamable = { path: '/mcp', transport: 'streamable' } as const;

function words(behind: Behind): readonly string[] {
  if ('servers' in behind) throw new Error('it takes only one server');
  return 'url' in behind ? [behind.url] : [behind.command, ...behind.args];
}

/** The servers as most configurations name them. */
function entries(behind: Behind, more: object = {}): Readonly<Record<string, object>> {
  const servers = 'servers' in behind ? behind.servers : { bench: behind };
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const where =
        'url' in server ? { type: 'http', url: server.url } : { command: server.command, args: server.args };
      return [name, { ...where, ...more }];
    }),
  );
}

/** What the gateway of this project does to each call of the run: nothing is taken out of it. */
const policies = [
  { id: 'no-keys', match: 'mcp__*', deny: "has(args.text) && args.text.contains('BEGIN PRIVATE KEY')" },
  { id: 'big-spend', match: 'mcp__bank__pay', ask: 'args.amount > 100' },
  { id: 'sequence', requires: { mcp__ci__deploy: ['mcp__ci__build'] } },
];

export const passThrough: Gateway = {
  name: 'pass-through',
  isPeer: false,
  takesHttp: true,
  prepare: (port, behind) => ({
    args: [programAt('bench/support/gateway/pass-through-program.ts'), String(port), ...words(behind)],
    address: streamable,
  }),
};

export const sdkGateway: Gateway = {
  name: 'SDK v2 gateway',
  isPeer: false,
  takesHttp: true,
  prepare: (port, behind) => ({
    args: [programAt('bench/support/gateway/sdk-gateway-program.ts'), String(port), ...words(behind)],
    address: streamable,
  }),
};

/** The environment of our own commands in a directory. */
export function ownEnvironment(directory: string): Readonly<Record<string, string>> {
  return {
    SIGNALBOX_HOME: join(directory, 'data'),
    SIGNALBOX_TOKEN: '',
    SIGNALBOX_SECRETS: 'file',
    SIGNALBOX_TRUST: 'all',
  };
}

/** Signalbox, started by that launcher. */
export const signalboxAt = (name: string, launcherOf: () => string): Gateway => ({
  name,
  isPeer: false,
  takesHttp: true,
  prepare(port, behind, directory) {
    const launcher = launcherOf();
    const env = ownEnvironment(directory);
    const configuration = { mcpServers: entries(behind, { concurrency: 64 }), policies };
    writeFileSync(join(directory, 'signalbox.config.json'), JSON.stringify(configuration));
    const made = execFileSync(process.execPath, [launcher, 'token', 'create', '--role', 'agent', '--json'], {
      cwd: directory,
      env: { ...process.env, ...env },
    });
    const { token } = JSON.parse(made.toString()) as { token: string };
    return { args: [launcher, 'serve', '--port', String(port)], env, address: { ...streamable, token } };
  },
});

/** As users run it, like the others. */
export const signalbox = signalboxAt('Signalbox', builtLauncher);

/** The same, to a client of the revision without sessions. */
export const signalboxStateless: Gateway = {
  ...signalbox,
  name: 'Signalbox, 2026-07-28',
  prepare(...given) {
    const prepared = signalbox.prepare(...given);
    return { ...prepared, address: { ...prepared.address, stateless: true } };
  },
};

/** How each of the others is told to do the same. */
export function peerGateways(peers: readonly Peer[]): readonly Gateway[] {
  const prepares: Readonly<Record<string, (directory: string) => Omit<Gateway, 'name' | 'isPeer'>>> = {
    'mcp-proxy': (directory) => ({
      takesHttp: false,
      prepare: (port, behind) => {
        const options = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--'];
        return {
          args: [join(directory, 'dist/bin/mcp-proxy.mjs'), ...options, ...words(behind)],
          address: streamable,
        };
      },
    }),
    supergateway: (directory) => ({
      takesHttp: false,
      prepare: (port, behind) => {
        const server = ['--stdio', words(behind).join(' ')];
        const options = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'];
        return {
          args: [join(directory, 'dist/index.js'), ...server, ...options, '--port', String(port)],
          address: streamable,
        };
      },
    }),
    'mcp-hub': (directory) => ({
      takesHttp: true,
      prepare: (port, behind, own) => {
        const config = join(own, 'hub.json');
        writeFileSync(config, JSON.stringify({ mcpServers: entries(behind) }));
        return {
          args: [join(directory, 'dist/cli.js'), '--port', String(port), '--config', config],
          env: { XDG_STATE_HOME: own, XDG_CONFIG_HOME: own, XDG_DATA_HOME: own },
          address: { path: '/mcp', transport: 'sse' },
        };
      },
    }),
  };
  return peers.flatMap(({ name, version, directory }) => {
    const make = prepares[name];
    return make === undefined ? [] : [{ name: `${name} ${version}`, isPeer: true, ...make(directory) }];
  });
}

const patienceMs = 60_000;
const running = new Set<ChildProcess>();

// However the benchmark ends, nothing that it started is left.
process.on('exit', () => running.forEach(killGroup));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** What may be said of a start. */
interface Start {
  /** Where it runs, and keeps what it keeps: a new one, which is removed afterwards, unless given. */
  readonly directory?: string;
  /** What must be listed: `echo` unless said otherwise. */
  readonly tools?: readonly string[];
}

/** Starts a gateway, and waits until it lists the tools of the servers. */
export async function startGateway(gateway: Gateway, behind: Behind, start: Start = {}): Promise<RunningGateway> {
  const directory = start.directory ?? mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const port = await freePort();
  const { args, env = {}, address } = gateway.prepare(port, behind, directory);
  const started = performance.now();
  // In a group of its own, so that it can be ended with everything that it started.
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  running.add(child);
  const connect = (): Promise<LeanClient> => LeanClient.open({ port, ...address }, start.tools);
  const stop = async (): Promise<void> => {
    await end(child);
    if (start.directory === undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    const client = await answering(gateway.name, connect, child, started + patienceMs);
    const startedInMs = performance.now() - started;
    const closing = async (): Promise<void> => {
      client.close();
      await stop();
    };
    return { name: gateway.name, pid: child.pid ?? 0, client, startedInMs, stop: closing };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answering(
  name: string,
  connect: () => Promise<LeanClient>,
  child: ChildProcess,
  until: number,
): Promise<LeanClient> {
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (child.exitCode !== null || performance.now() > until)
        throw new Error(`${name} does not answer`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const over = once(child, 'exit');
    child.kill();
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 8000).unref())]);
  }
  killGroup(child);
  running.delete(child);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
