import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcpServer } from '../../src/index.ts';
import { startServer } from '../../src/server/start-server.ts';
import { root } from '../support/command.ts';
import { playScenario } from './client-scenario.ts';
import { startFixture } from './fixture.ts';
import { startPlayers } from './players.ts';

/** The result of one check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The results of a run, by scenario. */
export interface SuiteResult {
  readonly scenarios: ReadonlyMap<string, readonly Check[]>;
  readonly output: string;
}

const token = 'conformance-token';
const maxConcurrentScenarios = 3;
/** The timeout of a client, including the time that it waits until its scenario runs. */
const clientTimeoutMs = 240_000;
const program = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** Runs the official suite against Signalbox with the fixture behind it. */
async function runServerSuite(revision: string, directory: string): Promise<SuiteResult> {
  const fixture = await startFixture();
  const server = mcpServer({ name: 'fixture', transport: { type: 'http', url: fixture.url } });
  const box = await openSignalbox({ servers: [server], builtin: false, profiles: { conformance: { names: 'own' } } });
  await server.ready();
  const proxy = await authorizingProxy();
  const running = await startServer({
    box,
    host: '127.0.0.1',
    port: 0,
    token,
    allowedHosts: [`127.0.0.1:${proxy.port}`, `localhost:${proxy.port}`],
  });
  proxy.target = running.port;
  try {
    const url = `http://127.0.0.1:${proxy.port}/mcp/conformance`;
    const output = await run(['server', '--url', url, '--requirements', revision, '--output-dir', directory]);
    return { scenarios: await resultsIn(directory), output };
  } finally {
    await running.close();
    await proxy.close();
    await box.close();
    await fixture.close();
  }
}

/** Runs the official suite with Signalbox as the client of its servers. */
function runClientSuite(revision: string, directory: string): Promise<SuiteResult> {
  return runClient(['--requirements', revision], directory);
}

/** Runs one scenario of the official suite with Signalbox as the client. */
export function runClientScenario(scenario: string, revision: string, directory: string): Promise<SuiteResult> {
  return runClient(['--scenario', scenario, '--spec-version', revision], directory);
}

async function runClient(selection: readonly string[], directory: string): Promise<SuiteResult> {
  const players = await startPlayers(maxConcurrentScenarios, playScenario);
  try {
    const client = `${process.execPath} ${fileURLToPath(new URL('client.ts', import.meta.url))}`;
    const which = [...selection, '--timeout', String(clientTimeoutMs)];
    const output = await run(['client', '--command', client, ...which, '--output-dir', directory], {
      SIGNALBOX_PLAYERS: String(players.port),
    });
    const scenarios = new Map([
      ...(await resultsIn(directory)),
      ...[...(await resultsIn(join(directory, 'auth')))].map(([name, checks]) => [`auth/${name}`, checks] as const),
    ]);
    return { scenarios, output };
  } finally {
    await players.close();
  }
}

/** The runs of the suite in each role. */
export const suites = { server: runServerSuite, client: runClientSuite } as const;

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

/** Reads the results. The suite writes a directory for each scenario, with its name and a timestamp. */
async function resultsIn(directory: string): Promise<Map<string, readonly Check[]>> {
  const scenarios = new Map<string, readonly Check[]>();
  for (const name of (await readdir(directory)).toSorted()) {
    const text = await readFile(join(directory, name, 'checks.json'), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    scenarios.set(name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''), JSON.parse(text) as Check[]);
  }
  return scenarios;
}

/** Starts a proxy that adds a token to every request, because the suite sends none. */
async function authorizingProxy(): Promise<{ readonly port: number; target: number; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: proxy.target,
        method,
        path,
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = {
    port: (server.address() as AddressInfo).port,
    target: 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
