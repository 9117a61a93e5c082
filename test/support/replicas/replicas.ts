import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CliProject, waitForOutput } from '../../e2e/cli-project.ts';
import { token } from '../../mcp-clients/serving.ts';
import { type RoundRobinProxy, answeredBy, startRoundRobinProxy } from './round-robin-proxy.ts';
import { within } from '../within.ts';

/** One process of `signalbox serve`. */
export class Replica {
  readonly #project: CliProject;
  readonly #args: readonly string[];
  #child: ChildProcessWithoutNullStreams | undefined;
  #output = '';
  url = '';
  /** A link that signs in one browser. */
  signInUrl = '';

  constructor(files: Readonly<Record<string, string>>, args: readonly string[]) {
    this.#project = new CliProject(files);
    this.#args = args;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#project.start(['serve', '--port', '0', '--json', ...this.#args], { SIGNALBOX_TOKEN: token });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    const ready = await waitForOutput(child.stdout, /\n/).catch((error: unknown) => {
      throw new Error(`a replica did not start: ${this.#output}`, { cause: error });
    });
    ({ url: this.url, signInUrl: this.signInUrl } = JSON.parse(ready) as { url: string; signInUrl: string });
  }

  /** Sends the signal and waits until the process has exited. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.kill(signal);
    const [code] = await within(closed, `the end of a replica by ${signal}`, () => this.#output);
    return code;
  }
}

/** A response, with the replica that sent it. */
export interface ReplicaResponse<Body> {
  readonly status: number;
  readonly by: string;
  readonly headers: Headers;
  readonly body: Body;
}

/** Servers on one store behind a load balancer without sticky sessions. */
export interface Replicas {
  readonly all: readonly Replica[];
  readonly proxy: RoundRobinProxy;
  /** Headers for requests that do not use `ask`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Restarts a replica. Before a SIGTERM, removes it from the load balancer, like an orchestrator; a killed one stays there. */
  restart(replica: Replica, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Sends a request to the next replica, or to the given one. */
  ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
    at?: Replica,
  ): Promise<ReplicaResponse<Body>>;
  close(): Promise<void>;
}

/** Starts a replica for each list of arguments. */
export async function startReplicas(
  files: Readonly<Record<string, string>>,
  argumentsOf: readonly (readonly string[])[],
): Promise<Replicas> {
  const proxy = await startRoundRobinProxy();
  const all = argumentsOf.map((args) => new Replica(files, ['--allowed-host', proxy.host, ...args]));
  // Workers serve no requests.
  const isServing = (_: Replica, index: number): boolean => !(argumentsOf[index] ?? []).includes('worker');
  const updateTargets = (without?: Replica): void =>
    void (proxy.targets = all.filter((one, index) => one !== without && isServing(one, index)).map(({ url }) => url));
  const close = async (): Promise<void> => {
    await Promise.all(all.map((replica) => replica.end('SIGTERM')));
    await proxy.close();
  };
  try {
    await Promise.all(all.map((replica) => replica.start()));
  } catch (error) {
    await close();
    throw error;
  }
  updateTargets();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    all,
    proxy,
    headers,
    async restart(replica, signal) {
      // The kernel resets a connection that is opened while the port closes, which no server can prevent.
      if (signal === 'SIGTERM') {
        updateTargets(replica);
        await nextTurn();
      }
      const code = await replica.end(signal);
      await replica.start();
      updateTargets();
      return code;
    },
    async ask(method, path, body, at) {
      const response = await fetch((at ?? proxy).url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        by: response.headers.get(answeredBy) ?? '',
        headers: response.headers,
        body: JSON.parse(text === '' ? '{}' : text) as never,
      };
    },
    close,
  };
}
