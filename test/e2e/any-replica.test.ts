import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { firstClient, secondClient } from '../mcp-clients/clients.ts';
import { begin, messageOf, send } from '../mcp-clients/raw.ts';
import { until } from '../mcp-servers/boxed.ts';
import { browserHeaders } from '../support/http-server.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas.ts';
import { within } from '../support/within.ts';
import { Place } from './cli-place.ts';

/** Tools that say which process they run in, ask, report and wait. */
const desk = `
import { defineTool } from 'signalbox';
const tool = { effect: 'read', input: { type: 'object' } };
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
export const where = defineTool({ ...tool, name: 'where', description: 'Says which process it is.', run: () => String(process.pid) });
export const ask = defineTool({ ...tool, name: 'ask', description: 'Asks.',
  run: async (_, { client }) => JSON.stringify(await client.elicit({ mode: 'form', message: 'What?', requestedSchema })) });
export const wait = defineTool({ ...tool, name: 'wait', description: 'Waits.', async run(_, { progress, signal }) {
  progress({ progress: 1, message: String(process.pid) });
  await new Promise((resolve) => { signal.addEventListener('abort', resolve); setTimeout(resolve, 50_000); });
  return 'waited';
} });
`;

/** One that came after the others were locked. */
const changed = `
export const changed = defineTool({ ...tool, name: 'changed', description: 'Came later.', run: () => 'here' });
`;

const answer = { action: 'accept', content: { answer: 'forty-two' } } as const;
const signal = AbortSignal.timeout(120_000);

/** What the tests need of a client, of whichever era and SDK. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; onprogress?: (progress: { message?: string | undefined }) => void },
  ): Promise<object>;
}

describe('three replicas on one PostgreSQL behind a balancer that knows nothing of sessions', () => {
  let replicas: Replicas;
  let end = async (): Promise<void> => undefined;

  before(async () => {
    const cluster = await startPostgres();
    const store = cluster.address('anywhere');
    const configuration = JSON.stringify({ mcpServers: { desk: { module: './desk.ts' } }, store });
    const files = { 'signalbox.config.json': configuration };
    const locking = new Place({ ...files, 'desk.ts': desk });
    const { code, stderr } = await locking.run(['lock'], { environment: { SIGNALBOX_STORE: 'sqlite' } });
    assert.equal(code, 0, stderr);
    const lock = readFileSync(join(locking.directory, 'signalbox.lock'), 'utf8');
    const later = { ...files, 'desk.ts': `${desk}${changed}`, 'signalbox.lock': lock };
    replicas = await startReplicas(later, [[], [], []]);
    end = async () => {
      await replicas.close();
      await cluster.end();
    };
  });
  after(() => end());

  const address = (): URL => new URL(`${replicas.proxy.url}/mcp`);
  const elicit = (client: { setRequestHandler: unknown }): void =>
    (client.setRequestHandler as (method: unknown, handler: () => object) => void)('elicitation/create', () => answer);
  const text = (result: object): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';
  const call = async (client: AnyClient, name: string): Promise<string> =>
    text(await client.callTool({ name: `mcp__desk__${name}`, arguments: {} }, { signal }));
  const outcomes = async (tool: string): Promise<string[]> => {
    const calls = await replicas.ask<{ items: { outcome: string }[] }>('GET', `/api/calls?tool=mcp__desk__${tool}`);
    return calls.body.items.map(({ outcome }) => outcome);
  };
  /** Begins to wait, and tells in which process. */
  const waiting = (client: AnyClient, stop: AbortSignal): { ended: Promise<unknown>; pid: Promise<number> } => {
    const pid = Promise.withResolvers<number>();
    const options = {
      signal: stop,
      onprogress: ({ message }: { message?: string | undefined }) => pid.resolve(Number(message)),
    };
    const ended = client.callTool({ name: 'mcp__desk__wait', arguments: {} }, options).catch((error: unknown) => error);
    return { ended, pid: within(pid.promise, 'the call tells where it runs') };
  };

  const clients: Record<string, (t: test.TestContext) => Promise<AnyClient>> = {
    'the first SDK': async (t) => {
      const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const client = await firstClient(t, address(), (made) =>
        made.setRequestHandler(ElicitRequestSchema, () => answer),
      );
      return {
        listTools: () => client.listTools(),
        callTool: (params, options) => client.callTool(params, undefined, options),
      };
    },
    'the second SDK with sessions': (t) => secondClient(t, address(), 'legacy', elicit),
    'the second SDK without': (t) => secondClient(t, address(), 'modern', elicit),
  };

  for (const [name, open] of Object.entries(clients)) {
    test(`${name} lists, calls, is asked, hears of progress and cancels, whichever answers`, async (t) => {
      const client = await open(t);
      for (let round = 0; round < 3; round += 1)
        assert.ok((await client.listTools()).tools.some((tool) => tool.name === 'mcp__desk__where'));
      const places = new Set<string>();
      for (let round = 0; round < 6; round += 1) places.add(await call(client, 'where'));
      assert.ok(places.size > 1, 'more than one replica answered');
      for (let round = 0; round < 3; round += 1) assert.deepEqual(JSON.parse(await call(client, 'ask')), answer);
      const cancelled = (await outcomes('wait')).filter((outcome) => outcome === 'cancelled').length;
      const stop = new AbortController();
      const { ended, pid } = waiting(client, stop.signal);
      assert.ok((await pid) > 0);
      stop.abort();
      assert.ok((await ended) instanceof Error);
      await until(
        async () => (await outcomes('wait')).filter((outcome) => outcome === 'cancelled').length > cancelled,
        'the cancelled call has its outcome',
      );
    });
  }

  test('what is accepted at one replica holds at all, whose lock files are older', async () => {
    const { all, headers } = replicas;
    const [one, ...others] = all as [Replica, Replica, Replica];
    const shown = async ({ url }: Replica): Promise<boolean> => {
      const { items } = (await (await fetch(`${url}/api/tools`, { headers })).json()) as { items: { name: string }[] };
      return items.some(({ name }) => name === 'mcp__desk__changed');
    };
    assert.deepEqual(await Promise.all(all.map(shown)), [false, false, false]);
    const accepted = await fetch(`${one.url}/api/lock/desk/accept`, { method: 'POST', headers, body: '{}' });
    assert.equal(accepted.status, 200, await accepted.text());
    assert.equal(await shown(one), true);
    await until(async () => (await Promise.all(others.map(shown))).every(Boolean), 'the others show the tool');
  });

  test('a browser and a revoked token are known, and end, at every replica', async () => {
    const { all, headers } = replicas;
    const [one, two] = all as [Replica, Replica];
    const link = one.signInUrl.replace(one.url, two.url);
    const browser = await browserHeaders(await fetch(link, { redirect: 'manual' }));
    const stream = await fetch(`${one.url}/api/events`, { headers: { ...browser } });
    assert.equal(stream.status, 200);
    const { cookie } = browser;
    for (const { url } of all) {
      const status = async (sent: Record<string, string>) => (await fetch(`${url}/api/info`, { headers: sent })).status;
      assert.deepEqual(
        [await status({ ...browser }), await status({ cookie })],
        [200, 401],
        'the key is known and needed',
      );
    }
    const out = await fetch(`${two.url}/api/sign-out`, { method: 'POST', headers: { ...browser, origin: two.url } });
    assert.equal(out.status, 204);
    await assert.rejects(within(stream.text(), 'the stream at the other replica ends'));
    assert.equal((await fetch(`${one.url}/api/info`, { headers: { ...browser } })).status, 401);

    const body = JSON.stringify({ role: 'viewer' });
    const made = await fetch(`${one.url}/api/tokens`, { method: 'POST', headers, body });
    const { id, token: agent } = (await made.json()) as { id: string; token: string };
    const events = await fetch(`${two.url}/api/events`, { headers: { authorization: `Bearer ${agent}` } });
    assert.equal(events.status, 200);
    assert.equal((await fetch(`${one.url}/api/tokens/${id}`, { method: 'DELETE', headers })).ok, true);
    await assert.rejects(within(events.text(), 'the stream of the revoked token ends'));
  });

  test('sessions outlive the replica that is killed, and its calls end with an error', async (t) => {
    const opened = await Promise.all(Object.values(clients).map((open) => open(t)));
    const session = await begin(address());
    const [first] = opened as [AnyClient];
    const stop = new AbortController();
    t.after(() => stop.abort());
    const { ended, pid } = waiting(first, stop.signal);
    process.kill(await pid, 'SIGKILL');
    const error = await within(ended, 'the call of the dead replica ends');
    assert.ok(error instanceof Error);
    assert.match(error.message, /is gone/);
    for (const client of opened)
      for (let round = 0; round < 3; round += 1) assert.match(await call(client, 'where'), /^\d+$/);
    for (let round = 0; round < 3; round += 1) {
      const ping = JSON.stringify({ jsonrpc: '2.0', id: round, method: 'tools/list', params: {} });
      assert.ok((await messageOf(send(address(), ping, session))).result !== undefined);
    }
  });
});
