/**
 * Compares our turn queue with pg-boss, each with two workers on one PostgreSQL: the time until the turn of a message begins, the
 * number of transactions, and the time until another worker continues after a kill -9.
 *
 *   npm run bench -- queue
 */
import { openSignalbox } from '../src/signalbox/create-signalbox.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { postgresStore } from '../src/index.ts';
import { createSessions } from '../src/sessions/create-sessions.ts';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import { installPeers } from './support/gateway/install-peers.ts';
import { quantile } from './support/measure.ts';
import type { Boss } from './support/queue-boss.ts';

const messages = 200;
const kills = 3;
const cluster = await startPostgres({ durable: true });
const program = join(import.meta.dirname, 'support', 'queue-worker.ts');
const now = (): number => performance.timeOrigin + performance.now();

/** Worker processes, and the time at which each message began. */
class Workers {
  readonly started = new Map<string, { readonly at: number; readonly child: ChildProcess }>();
  readonly #children = new Set<ChildProcess>();
  readonly #args: readonly string[];

  constructor(...args: readonly string[]) {
    this.#args = args;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [program, ...this.#args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    const { promise, resolve } = Promise.withResolvers<void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trimEnd().split('\n')) {
        const [event = '', at] = line.split(' ');
        if (event === 'ready') resolve();
        this.started.set(event, { at: Number(at), child });
      }
    });
    await promise;
  }

  /** Waits until the first of these messages begins. */
  async waitForStart(...awaited: readonly string[]): Promise<{ readonly at: number; readonly child: ChildProcess }> {
    for (;;) {
      for (const message of awaited) {
        const start = this.started.get(message);
        if (start !== undefined) return start;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

interface Queue {
  readonly name: string;
  readonly workers: Workers;
  /** Sends a message to a conversation. */
  send(content: string, conversation: string): Promise<void>;
  close(): Promise<void>;
}

async function ours(): Promise<Queue> {
  const address = cluster.address('ours');
  const box = await openSignalbox({ store: await postgresStore({ address }) });
  const runtime = { name: 'bench', turn: () => [] as never, close: () => Promise.resolve() };
  const agent = { name: 'bench', runtime, runtimeTools: undefined as never };
  const sessions = await createSessions({ box, agents: { defaultName: 'bench', list: () => [agent] }, turnsAtOnce: 0 });
  const owner = { id: 'ann', kind: 'human' } as const;
  const ids = new Map<string, string>();
  return {
    name: 'turns of Signalbox',
    workers: new Workers('turns', address),
    async send(content, conversation) {
      const id = ids.get(conversation) ?? (await sessions.create({}, owner)).id;
      ids.set(conversation, id);
      await sessions.send(id, content, owner);
    },
    async close() {
      await sessions.close();
      await box.close();
    },
  };
}

async function boss({ directory, version }: { directory: string; version: string }): Promise<Queue> {
  const url = new URL(cluster.address('unused'));
  url.search = '';
  const module = join(directory, 'dist', 'index.js');
  const { PgBoss } = (await import(pathToFileURL(module).href)) as Boss;
  const sender = new PgBoss({ connectionString: url.href, supervise: false, schedule: false });
  sender.on('error', () => undefined);
  await sender.start();
  // The shortest heartbeat that pg-boss accepts; one job per conversation at a time.
  await sender.createQueue('turns', { policy: 'singleton', notify: true, heartbeatSeconds: 10, retryLimit: 1 });
  return {
    name: `pg-boss ${version}`,
    workers: new Workers('boss', url.href, module),
    async send(content, conversation) {
      await sender.send('turns', { content }, { singletonKey: conversation });
    },
    close: () => sender.stop(),
  };
}

const client = new pg.Client({ connectionString: cluster.address('unused').replace(/\?.*/, '') });
await client.connect();
async function transactions(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { rows } = await client.query<{ count: string }>(
    "SELECT xact_commit AS count FROM pg_stat_database WHERE datname = 'postgres'",
  );
  return Number(rows[0]?.count);
}

const peer = installPeers().find(({ name }) => name === 'pg-boss');
const made = [ours, ...(peer === undefined ? [] : [() => boss(peer)])];
console.log(
  '\n| | starts after p50 · p99 ms | transactions for a message | continues after kill -9, s |\n|---|---|---|---|',
);
for (const make of made) {
  const { name, workers, send, close } = await make();
  await Promise.all([workers.start(), workers.start()]);
  await send('warm', 'warm');
  await workers.waitForStart('warm');
  const idleFrom = await transactions();
  await new Promise((resolve) => setTimeout(resolve, 6000));
  const idle = ((await transactions()) - idleFrom) / 7.5;
  const waits: number[] = [];
  const [from, startedAt] = [await transactions(), now()];
  for (let message = 0; message < messages; message += 1) {
    const sent = now();
    await send(`m${message}`, `c${message % 10}`);
    waits.push((await workers.waitForStart(`m${message}`)).at - sent);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const each = ((await transactions()) - from - (idle * (now() - startedAt)) / 1000) / messages;
  waits.sort((a, b) => a - b);
  const losses: number[] = [];
  for (let round = 0; round < kills; round += 1) {
    await send(`hold${round}`, `k${round}`);
    const { child } = await workers.waitForStart(`hold${round}`);
    await send(`after${round}`, `k${round}`);
    workers.started.delete(`hold${round}`);
    const killed = now();
    child.kill('SIGKILL');
    // Our queue ends the turn and continues with the next message; pg-boss restarts the same job.
    const next = await workers.waitForStart(`after${round}`, `hold${round}`);
    losses.push((next.at - killed) / 1000);
    await workers.start();
  }
  const recoverySeconds = losses.map((seconds) => seconds.toFixed(1)).join(' · ');
  console.log(
    `| ${name} | ${quantile(waits, 0.5).toFixed(1)} · ${quantile(waits, 0.99).toFixed(1)} | ${each.toFixed(1)} | ${recoverySeconds} |`,
  );
  workers.end();
  await close();
}
await client.end();
await cluster.end();
