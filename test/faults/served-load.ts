import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliProject, waitForExit, waitForOutput } from '../e2e/cli-project.ts';

/** A call over HTTP, as observed by its caller. */
export interface ObservedCall {
  readonly at: number;
  readonly ms: number;
  /** `refused` means that the server responded with an error instead of an outcome. */
  readonly outcome: string;
  readonly code: string;
  readonly callId: string;
}

const clients = 16;
const token = 'a-token-for-the-load';
const tools = `
import { appendFileSync } from 'node:fs';
import { defineTool } from 'signalbox';
export const act = defineTool({
  name: 'act', description: 'Leaves a trace outside.', effect: 'irreversible',
  run: (_args, { callId }) => { appendFileSync('effects', callId + '\\n'); return 'done'; },
});
export const look = defineTool({ name: 'look', description: 'Reads.', effect: 'read', run: () => 'seen' });
`;

/** A real server on a store, and clients that call it continuously, mostly tools with an effect. */
export class ServedLoad {
  readonly calls: ObservedCall[] = [];
  readonly #project: CliProject;
  readonly #server: ReturnType<CliProject['start']>;
  readonly #ended: ReturnType<typeof waitForExit>;
  readonly #abort = new AbortController();
  #clients: Promise<unknown> | undefined;

  constructor(store: string) {
    const policies = [{ id: 'free', match: 'mcp__work__*', allow: true }];
    const configuration = { mcpServers: { work: { module: './work.ts' } }, store, policies };
    this.#project = new CliProject({ 'work.ts': tools, 'signalbox.config.json': JSON.stringify(configuration) });
    this.#server = this.#project.start(['serve', '--port', '0', '--json'], { SIGNALBOX_TOKEN: token });
    this.#ended = waitForExit(this.#server);
  }

  async start(): Promise<void> {
    const { url } = JSON.parse(await waitForOutput(this.#server.stdout, /\n/)) as { url: string };
    this.#clients = Promise.all(Array.from({ length: clients }, (_, client) => this.#callContinuously(url, client)));
  }

  /** Returns the completed calls per second in this time. */
  rate(from: number, to: number): number {
    const ended = this.calls.filter((call) => call.outcome === 'completed' && isWithin(call.at + call.ms, from, to));
    return (ended.length * 1000) / (to - from);
  }

  /** Returns the effects that the tool itself has recorded. */
  effects(): string[] {
    return readFileSync(join(this.#project.directory, 'effects'), 'utf8').trimEnd().split('\n');
  }

  /** Whether the server process still runs. */
  get isAlive(): boolean {
    return this.#server.exitCode === null && this.#server.signalCode === null;
  }

  async stopCalling(): Promise<void> {
    this.#abort.abort();
    await this.#clients;
  }

  /** Stops the server as an operator would; returns its exit code and standard error. */
  async end(): Promise<{ readonly code: number | null; readonly stderr: string }> {
    this.#server.kill('SIGTERM');
    return await this.#ended;
  }

  async #callContinuously(url: string, client: number): Promise<void> {
    const tool = client % 8 === 0 ? 'look' : 'act';
    while (!this.#abort.signal.aborted) {
      const call = await callAt(new URL(`/api/tools/mcp__work__${tool}/call`, url));
      this.calls.push(call);
      // A rejected client calls again after a short wait.
      if (call.outcome !== 'completed') await wait(25);
    }
  }
}

async function callAt(url: URL): Promise<ObservedCall> {
  const at = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"arguments":{}}' }).catch(() => undefined);
  const body = ((await response?.json().catch(() => undefined)) ?? {}) as {
    readonly outcome?: string;
    readonly callId?: string;
    readonly code?: string;
    readonly error?: { readonly code: string };
  };
  return {
    at,
    ms: performance.now() - at,
    outcome: body.outcome ?? 'refused',
    code: body.error?.code ?? body.code ?? '',
    callId: body.callId ?? '',
  };
}

function isWithin(at: number, from: number, to: number): boolean {
  return at >= from && at < to;
}
