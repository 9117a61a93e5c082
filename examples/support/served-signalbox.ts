import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** A running `signalbox serve` in a separate directory. */
export interface ServedSignalbox {
  readonly url: string;
  readonly directory: string;
  /** Sends a request with the admin token: a POST if there is a body. */
  request(path: string, body?: object): Promise<Response>;
  /** Runs a command in the same directory, and returns its output. */
  run(...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'signalbox');
const token = 'an-admin-token-for-an-example';

/** Starts a server with these files and variables, on a free port, and waits until all MCP servers are up. */
export async function servedSignalbox(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<ServedSignalbox> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-served-')));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const env = {
    ...process.env,
    ...environment,
    SIGNALBOX_HOME: join(directory, '.signalbox'),
    SIGNALBOX_TOKEN: token,
    SIGNALBOX_SECRETS: 'file',
    SIGNALBOX_TRUST: directory, // its configuration is written above
  };
  const start = (...args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [launcher, ...args], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const server = start('serve', '--port', '0', '--json');
  process.once('exit', () => server.kill()); // also when an example fails
  const { url } = JSON.parse(await firstLine(server)) as { url: string };
  const request: ServedSignalbox['request'] = (path, body) =>
    fetch(new URL(path, url), {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  while (/"status":"down"/.test(await (await request('/api/servers')).text())) await delay(100);
  return {
    url,
    directory,
    request,
    async run(...args) {
      const { stdout } = start(...args);
      return stdout === null ? '' : text(stdout);
    },
    async close() {
      const ended = once(server, 'close');
      server.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    stdout.resume();
    return line;
  }
  throw new Error('the server ended before it was ready');
}
