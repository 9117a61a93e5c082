import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliProject, waitForExit, waitForOutput } from '../e2e/cli-project.ts';

/** A call over HTTP, as its caller saw it. */
export interface SeenCall {
  readonly at: number;
  readonly ms: number;
  /** `refused`: the server gave no outcome but an error. */
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

/** A real server on a store, and clients that call it without a pause, mostly for effects. */
export class ServedLoad {
  readonly calls: SeenCall[] = [];
  readonly #place: CliProject;
  readonly #server: ReturnType<CliProject['start']>;
  readonly #ended: ReturnType<typeof waitForExit>;
  readonly #over = new AbortController();
  #clients: Promise<unknown> | undefined;

  constructor(store: string) {
    const policies = [{ id: 'free', match: 'mcp__work__*', allow: true }];
    const configuration = { mcpServers: { work: { module: './work.ts' } }, store, policies };
    this.#place = new CliProject({ 'work.ts': tools, 'signalbox.config.json': JSON.stringify(configuration) });
    this.#server = this.#place.start(['serve', '--port', '0', '--json'], { SIGNALBOX_TOKEN: token });
    this.#ended = waitForExit(this.#server);
  }

  async start(): Promise<void> {
    const { url } = JSON.parse(await waitForOutput(this.#server.stdout, /\n/)) as { url: string };
    this.#clients = Promise.all(Array.from({ length: clients }, (_, client) => this.#callWithoutEnd(url, client)));
  }

  /** The calls with an effect that have completed in this time, a second. */
  rate(from: number, to: number): number {
    const ended = this.calls.filter((call) => call.outcome === 'completed' && isWithin(call.at + call.ms, from, to));
    return (ended.length * 1000) / (to - from);
  }

  /** What the tool itself has noted of its effects. */
  effects(): string[] {
    return readFileSync(join(this.#place.directory, 'effects'), 'utf8').trimEnd().split('\n');
  }

  /** Whether the server is still there. */
  get isAlive(): boolean {
    return this.#server.exitCode === null && this.#server.signalCode === null;
  }

  async stopCalling(): Promise<void> {
    this.#over.abort();
    await this.#clients;
  }

  /** Ends the server as an operator would; answers its exit code and what it said. */
  async end(): Promise<{ readonly code: number | null; readonly stderr: string }> {
    this.#server.kill('SIGTERM');
    return await this.#ended;
  }

  async #callWithoutEnd(url: string, client: number): Promise<void> {
    const tool = client % 8 === 0 ? 'look' : 'act';
    while (!this.#over.signal.aborted) {
      const seen = await callAt(new URL(`/api/tools/mcp__work__${tool}/call`, url));
      this.calls.push(seen);
      // Who is refused comes again in a moment.
      if (seen.outcome !== 'completed') await wait(25);
    }
  }
}

async function callAt(url: URL): Promise<SeenCall> {
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
