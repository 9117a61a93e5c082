import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type JsonObject, isJsonObject } from '../../src/core/json/json.ts';
import { builtLauncher } from '../support/processes/built-package.ts';

/** A running `signalbox serve`. */
export interface Gateway {
  readonly url: string;
  /** Has the role `admin`, and counts as a human in the HTTP API. */
  readonly adminToken: string;
  readonly agentToken: string;
  readonly configuration: string;
  readonly data: string;
  api(method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

const startTimeoutMs = 60_000;
const serverTimeoutMs = 90_000;
const stopTimeoutMs = 15_000;

/** Starts `signalbox serve` in a directory with a configuration, and waits until every server is up or has failed. */
export async function startGateway(directory: string, configuration: JsonObject): Promise<Gateway> {
  const data = join(directory, 'data');
  const file = join(directory, 'signalbox.config.json');
  mkdirSync(data, { recursive: true });
  writeFileSync(file, JSON.stringify(configuration, undefined, 2));
  const child = spawn(process.execPath, [builtLauncher(), 'serve', '--port', '0', '--json', '--grace-seconds', '1'], {
    cwd: directory,
    env: {
      ...process.env,
      SIGNALBOX_HOME: data,
      SIGNALBOX_TOKEN: '',
      SIGNALBOX_SECRETS: 'file',
      SIGNALBOX_TRUST: 'all',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = await startedUrl(child);
    const token = (name: string): string => readFileSync(join(data, name), 'utf8').trim();
    const adminToken = token('token');
    const api: Gateway['api'] = async (method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as JsonObject;
    };
    const gateway: Gateway = {
      url,
      adminToken,
      agentToken: token('agent-token'),
      configuration: file,
      data,
      api,
      close: () => stop(child),
    };
    await serversSettled(gateway);
    return gateway;
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function startedUrl(child: ChildProcess): Promise<string> {
  let output = '';
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2000)));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const end = output.indexOf('\n');
    if (end !== -1) resolve((JSON.parse(output.slice(0, end)) as { url: string }).url);
  });
  child.once('exit', (code) => reject(new Error(`signalbox serve ended with ${code}: ${errors}`)));
  const timer = setTimeout(() => reject(new Error(`signalbox serve did not start: ${errors}`)), startTimeoutMs);
  return promise.finally(() => clearTimeout(timer));
}

/** Waits until all servers are up. Rejects with the reason if one fails. */
async function serversSettled({ api }: Gateway): Promise<void> {
  for (const end = Date.now() + serverTimeoutMs; ; await wait(100)) {
    const { items } = await api('GET', '/api/servers');
    const servers = items as readonly JsonObject[];
    const down = servers.filter(({ status }) => status !== 'up');
    if (down.length === 0) return;
    const failed = down.find(({ health }) => isJsonObject(health) && health['state'] === 'down');
    if (failed !== undefined || Date.now() > end)
      throw new Error(`not up behind Signalbox: ${JSON.stringify(failed ?? down)}`);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
