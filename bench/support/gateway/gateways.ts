import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtLauncher } from '../../../test/support/processes/built-package.ts';
import { freePort } from '../../../test/support/http/free-port.ts';
import type { Peer } from './install-peers.ts';
import { type GatewayAddress, LeanClient } from './lean-client.ts';

/** A server behind a gateway: a program on stdio, or an address. */
type Server = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

/** The servers behind a gateway: one, or several by name. */
export type Behind = Server | { readonly servers: Readonly<Record<string, Server>> };

/** A gateway that can be started in front of a server. */
export interface Gateway {
  readonly name: string;
  /** Whether it is a third-party product. */
  readonly isPeer: boolean;
  /** Whether it supports HTTP servers. Some gateways only support stdio. */
  readonly supportsHttp: boolean;
  /** Prepares its directory, and returns the arguments and the address of the process. */
  prepare(port: number, behind: Behind, directory: string): Prepared;
}

interface Prepared {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly address: Omit<GatewayAddress, 'port'>;
}

/** A running gateway. */
export interface RunningGateway {
  readonly name: string;
  readonly pid: number;
  readonly client: LeanClient;
  /** The time from its start to the first response with the server's tools. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** Returns the absolute path of a program in the repository. */
export function programAt(path: string): string {
  return fileURLToPath(new URL(path, new URL('../../../', import.meta.url)));
}

const streamable = { path: '/mcp', transport: 'streamable' } as const;

function words(behind: Behind): readonly string[] {
  if ('servers' in behind) throw new Error('the gateway supports only one server');
  return 'url' in behind ? [behind.url] : [behind.command, ...behind.args];
}

/** Returns the servers as an `mcpServers` object, which most configurations use. */
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

/** The policies that Signalbox evaluates for each call of the benchmark. */
const policies = [
  { id: 'no-keys', match: 'mcp__*', deny: "has(args.text) && args.text.contains('BEGIN PRIVATE KEY')" },
  { id: 'big-spend', match: 'mcp__bank__pay', ask: 'args.amount > 100' },
  { id: 'sequence', requires: { mcp__ci__deploy: ['mcp__ci__build'] } },
];

export const passThrough: Gateway = {
  name: 'pass-through',
  isPeer: false,
  supportsHttp: true,
  prepare: (port, behind) => ({
    args: [programAt('bench/support/gateway/pass-through-program.ts'), String(port), ...words(behind)],
    address: streamable,
  }),
};

export const sdkGateway: Gateway = {
  name: 'SDK v2 gateway',
  isPeer: false,
  supportsHttp: true,
  prepare: (port, behind) => ({
    args: [programAt('bench/support/gateway/sdk-gateway-program.ts'), String(port), ...words(behind)],
    address: streamable,
  }),
};

/** Returns the environment of Signalbox commands in a directory. */
export function ownEnvironment(directory: string): Readonly<Record<string, string>> {
  return {
    SIGNALBOX_HOME: join(directory, 'data'),
    SIGNALBOX_TOKEN: '',
    SIGNALBOX_SECRETS: 'file',
    SIGNALBOX_TRUST: 'all',
  };
}

/** Returns Signalbox, started by this launcher. */
export const signalboxAt = (name: string, launcherOf: () => string): Gateway => ({
  name,
  isPeer: false,
  supportsHttp: true,
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

/** Signalbox as users run it, like the other gateways. */
export const signalbox = signalboxAt('Signalbox', builtLauncher);

/** Signalbox with a client of the revision without sessions. */
export const signalboxStateless: Gateway = {
  ...signalbox,
  name: 'Signalbox, 2026-07-28',
  prepare(...given) {
    const prepared = signalbox.prepare(...given);
    return { ...prepared, address: { ...prepared.address, stateless: true } };
  },
};

/** Returns the third-party gateways with an equivalent configuration. */
export function peerGateways(peers: readonly Peer[]): readonly Gateway[] {
  const prepares: Readonly<Record<string, (directory: string) => Omit<Gateway, 'name' | 'isPeer'>>> = {
    'mcp-proxy': (directory) => ({
      supportsHttp: false,
      prepare: (port, behind) => {
        const options = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--'];
        return {
          args: [join(directory, 'dist/bin/mcp-proxy.mjs'), ...options, ...words(behind)],
          address: streamable,
        };
      },
    }),
    supergateway: (directory) => ({
      supportsHttp: false,
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
      supportsHttp: true,
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

const startTimeoutMs = 60_000;
const running = new Set<ChildProcess>();

// Kills all started processes, however the benchmark ends.
process.on('exit', () => running.forEach(killGroup));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Options of `startGateway`. */
interface Start {
  /** The working and data directory. Default: a new one, which is removed afterwards. */
  readonly directory?: string;
  /** The tools that must be listed. Default: `echo`. */
  readonly tools?: readonly string[];
}

/** Starts a gateway, and waits until it lists the tools of the servers. */
export async function startGateway(gateway: Gateway, behind: Behind, start: Start = {}): Promise<RunningGateway> {
  const directory = start.directory ?? mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const port = await freePort();
  const { args, env = {}, address } = gateway.prepare(port, behind, directory);
  const started = performance.now();
  // In its own process group, so that it can be killed with all its children.
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
    const client = await connectWhenReady(gateway.name, connect, child, started + startTimeoutMs);
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

async function connectWhenReady(
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
        throw new Error(`${name} does not respond`, { cause: error });
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
    // The process group no longer exists.
  }
}
