import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../test/support/http/free-port.ts';
import { ownEnvironment } from './gateway/gateways.ts';

/** A server program. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** The duration of a start, in milliseconds. */
export interface StartTimes {
  /** Until the first response, to `initialize`. */
  readonly firstAnswerMs: number;
  /** Until every server has listed its tools. */
  readonly allUpMs: number;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

const token = 'a-token-of-the-benchmark';
const pollIntervalMs = 20;
const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** A program that exchanges lines of JSON-RPC. */
class LineClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #last = 0;

  constructor({ command, args }: ServerProgram, cwd: string, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the program has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
  }

  request(method: string, params: object): Promise<Reply> {
    const id = (this.#last += 1);
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async connect(): Promise<void> {
    await this.request('initialize', initialize);
    this.#send({ method: 'notifications/initialized' });
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** Starts all servers without a gateway, a limited number at a time, until each has listed its tools. */
export async function startDirectly(
  servers: readonly ServerProgram[],
  maxConcurrency: number,
  cwd: string,
): Promise<StartTimes> {
  const started = performance.now();
  const clients: LineClient[] = [];
  let firstAnswerMs: number | undefined;
  const queue = servers.values();
  const work = async (): Promise<void> => {
    for (const server of queue) {
      const client = new LineClient(server, cwd);
      clients.push(client);
      await client.connect();
      firstAnswerMs ??= performance.now() - started;
      await client.request('tools/list', {});
    }
  };
  await Promise.all(Array.from({ length: maxConcurrency }, work));
  const allUpMs = performance.now() - started;
  await Promise.all(clients.map((client) => client.close()));
  return { firstAnswerMs: firstAnswerMs ?? allUpMs, allUpMs };
}

function writeConfiguration(servers: readonly ServerProgram[], parent: string): string {
  const directory = mkdtempSync(join(parent, 'many-'));
  const mcpServers = Object.fromEntries(servers.map((server, index) => [`server-${index}`, server]));
  writeFileSync(join(directory, 'signalbox.config.json'), JSON.stringify({ mcpServers }));
  return directory;
}

/** Starts `signalbox stdio` in front of all servers. */
export async function startStdio(
  servers: readonly ServerProgram[],
  launcher: string,
  parent: string,
): Promise<StartTimes> {
  const directory = writeConfiguration(servers, parent);
  const started = performance.now();
  const program = { command: process.execPath, args: [launcher, 'stdio'] };
  const client = new LineClient(program, directory, ownEnvironment(directory));
  await client.connect();
  const firstAnswerMs = performance.now() - started;
  for (;;) {
    const { result } = await client.request('tools/list', {});
    const up = new Set(result?.tools?.flatMap(({ name }) => /^mcp__(server-\d+)__/.exec(name)?.[1] ?? []));
    if (up.size === servers.length) break;
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  const allUpMs = performance.now() - started;
  await client.close();
  return { firstAnswerMs, allUpMs };
}

/** Starts `signalbox serve` in front of all servers. */
export async function startServe(
  servers: readonly ServerProgram[],
  launcher: string,
  parent: string,
): Promise<StartTimes> {
  const directory = writeConfiguration(servers, parent);
  const port = await freePort();
  const env = { ...process.env, ...ownEnvironment(directory), SIGNALBOX_TOKEN: token };
  const started = performance.now();
  const child = spawn(process.execPath, [launcher, 'serve', '--port', String(port)], {
    cwd: directory,
    env,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
  await waitForResponse(() => fetch(`${url}/mcp`, { method: 'POST', headers, body }), child);
  const firstAnswerMs = performance.now() - started;
  for (;;) {
    const { items } = (await (await fetch(`${url}/api/servers`, { headers })).json()) as {
      items: readonly { readonly name: string; readonly status: string }[];
    };
    if (items.filter(({ name, status }) => name.startsWith('server-') && status === 'up').length === servers.length)
      break;
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  const allUpMs = performance.now() - started;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  return { firstAnswerMs, allUpMs };
}

async function waitForResponse(request: () => Promise<Response>, child: ChildProcess): Promise<void> {
  for (;;) {
    try {
      const { ok, status } = await request();
      if (!ok) throw new Error(`Signalbox responded with ${status}`);
      return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error('Signalbox ended before its first response', { cause: error });
      if (!(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
