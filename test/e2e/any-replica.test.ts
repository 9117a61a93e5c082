import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { firstClient, secondClient } from '../mcp-clients/clients.ts';
import { begin, messageOf, send } from '../mcp-clients/raw.ts';
import { until } from '../mcp-servers/boxed.ts';
import { browserHeaders } from '../support/http/http-server.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas/replicas.ts';
import { within } from '../support/within.ts';
import { CliProject } from './cli-project.ts';

/** Tools that return their process, elicit, report progress and wait. */
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

/** A tool that was added after the others were locked. */
const changed = `
export const changed = defineTool({ ...tool, name: 'changed', description: 'Came later.', run: () => 'here' });
`;

const answer = { action: 'accept', content: { answer: 'forty-two' } } as const;
const signal = AbortSignal.timeout(120_000);

/** The methods that the tests use of a client, common to both SDKs and eras. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; onprogress?: (progress: { message?: string | undefined }) => void },
  ): Promise<object>;
}

describe('three replicas on one PostgreSQL behind a load balancer without sticky sessions', () => {
  let replicas: Replicas;
  let end = async (): Promise<void> => undefined;

  before(async () => {
    const cluster = await startPostgres();
    const store = cluster.address('anywhere');
    const configuration = JSON.stringify({ mcpServers: { desk: { module: './desk.ts' } }, store });
    const files = { 'signalbox.config.json': configuration };
    const locking = new CliProject({ ...files, 'desk.ts': desk });
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
  /** Starts a call that waits, and returns its end and the process that runs it. */
  const startWaiting = (
    client: AnyClient,
    abortSignal: AbortSignal,
  ): { ended: Promise<unknown>; pid: Promise<number> } => {
    const pid = Promise.withResolvers<number>();
    const options = {
      signal: abortSignal,
      onprogress: ({ message }: { message?: string | undefined }) => pid.resolve(Number(message)),
    };
    const ended = client.callTool({ name: 'mcp__desk__wait', arguments: {} }, options).catch((error: unknown) => error);
    return { ended, pid: within(pid.promise, 'the process of the call') };
  };

  const clients: Record<string, (t: test.TestContext) => Promise<AnyClient>> = {
    'SDK v1': async (t) => {
      const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const client = await firstClient(t, address(), (made) =>
        made.setRequestHandler(ElicitRequestSchema, () => answer),
      );
      return {
        listTools: () => client.listTools(),
        callTool: (params, options) => client.callTool(params, undefined, options),
      };
    },
    'SDK v2 with sessions': (t) => secondClient(t, address(), 'legacy', elicit),
    'SDK v2 without sessions': (t) => secondClient(t, address(), 'modern', elicit),
  };

  for (const [name, connect] of Object.entries(clients)) {
    test(`${name}: lists, calls, elicits, reports progress and cancels at any replica`, async (t) => {
      const client = await connect(t);
      for (let round = 0; round < 3; round += 1)
        assert.ok((await client.listTools()).tools.some((tool) => tool.name === 'mcp__desk__where'));
      const processes = new Set<string>();
      for (let round = 0; round < 6; round += 1) processes.add(await call(client, 'where'));
      assert.ok(processes.size > 1, 'more than one replica answered');
      for (let round = 0; round < 3; round += 1) assert.deepEqual(JSON.parse(await call(client, 'ask')), answer);
      const cancelled = (await outcomes('wait')).filter((outcome) => outcome === 'cancelled').length;
      const abort = new AbortController();
      const { ended, pid } = startWaiting(client, abort.signal);
      assert.ok((await pid) > 0);
      abort.abort();
      assert.ok((await ended) instanceof Error);
      await until(
        async () => (await outcomes('wait')).filter((outcome) => outcome === 'cancelled').length > cancelled,
        'the cancelled call has its outcome',
      );
    });
  }

  test('a definition accepted at one replica is accepted at all, although their lock files are older', async () => {
    const { all, headers } = replicas;
    const [one, ...others] = all as [Replica, Replica, Replica];
    const isOffered = async ({ url }: Replica): Promise<boolean> => {
      const { items } = (await (await fetch(`${url}/api/tools`, { headers })).json()) as { items: { name: string }[] };
      return items.some(({ name }) => name === 'mcp__desk__changed');
    };
    assert.deepEqual(await Promise.all(all.map(isOffered)), [false, false, false]);
    const accepted = await fetch(`${one.url}/api/lock/desk/accept`, { method: 'POST', headers, body: '{}' });
    assert.equal(accepted.status, 200, await accepted.text());
    assert.equal(await isOffered(one), true);
    await until(async () => (await Promise.all(others.map(isOffered))).every(Boolean), 'the others offer the tool');
  });

  test('sign-ins, sign-outs and revoked tokens take effect at every replica', async () => {
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
        'the key is known and required',
      );
    }
    const signOut = await fetch(`${two.url}/api/sign-out`, {
      method: 'POST',
      headers: { ...browser, origin: two.url },
    });
    assert.equal(signOut.status, 204);
    await assert.rejects(within(stream.text(), 'the end of the stream at the other replica'));
    assert.equal((await fetch(`${one.url}/api/info`, { headers: { ...browser } })).status, 401);

    const body = JSON.stringify({ role: 'viewer' });
    const created = await fetch(`${one.url}/api/tokens`, { method: 'POST', headers, body });
    const { id, token: viewer } = (await created.json()) as { id: string; token: string };
    const events = await fetch(`${two.url}/api/events`, { headers: { authorization: `Bearer ${viewer}` } });
    assert.equal(events.status, 200);
    assert.equal((await fetch(`${one.url}/api/tokens/${id}`, { method: 'DELETE', headers })).ok, true);
    await assert.rejects(within(events.text(), 'the end of the stream of the revoked token'));
  });

  test('sessions outlive a killed replica, whose calls end with an error', async (t) => {
    const connected = await Promise.all(Object.values(clients).map((connect) => connect(t)));
    const session = await begin(address());
    const [first] = connected as [AnyClient];
    const abort = new AbortController();
    t.after(() => abort.abort());
    const { ended, pid } = startWaiting(first, abort.signal);
    process.kill(await pid, 'SIGKILL');
    const error = await within(ended, 'the end of the call of the killed replica');
    assert.ok(error instanceof Error);
    assert.match(error.message, /is gone/);
    for (const client of connected)
      for (let round = 0; round < 3; round += 1) assert.match(await call(client, 'where'), /^\d+$/);
    for (let round = 0; round < 3; round += 1) {
      const ping = JSON.stringify({ jsonrpc: '2.0', id: round, method: 'tools/list', params: {} });
      assert.ok((await messageOf(send(address(), ping, session))).result !== undefined);
    }
  });
});
