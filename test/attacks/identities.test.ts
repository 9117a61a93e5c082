import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { localUser } from '../../src/access/local-user.ts';
import type { Approval } from '../../src/core/calls/approval.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { Principal } from '../../src/core/principal.ts';
import { defineTool } from '../../src/sources/local/define-tool.ts';
import { localServer } from '../../src/sources/local/local-server.ts';
import { postgresStore } from '../../src/store/postgres/postgres-store.ts';
import { CliProject, notesProject } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import {
  bodyOf,
  type BrowserHeaders,
  browserHeaders,
  startTestServer,
  type TestServer,
} from '../support/http/http-server.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const policies: readonly JsonObject[] = [
  { id: 'purse', budget: { match: 'mcp__shop__pay', cost: 100, each: 'args.amount' } },
  { id: 'calm', rateLimit: { match: 'mcp__shop__ring', per: '1h', max: 2 } },
  { id: 'leak', flow: { from: ['private'], to: ['external'] } },
  { id: 'tested', requires: { mcp__shop__deploy: ['mcp__shop__build', 'mcp__shop__test'] } },
  { id: 'yes', match: 'mcp__shop__*', allow: true },
];

function shopServer(): ReturnType<typeof localServer> {
  const input = { type: 'object', properties: { amount: { type: 'number' } } };
  const tool = (name: string, labels: readonly string[] = []) =>
    defineTool({ name, description: name, input, effect: 'irreversible', labels, run: () => 'done' });
  return localServer({
    name: 'shop',
    tools: [
      ...['pay', 'ring', 'build', 'test', 'deploy'].map((name) => tool(name)),
      tool('diary', ['private']),
      tool('send', ['external']),
    ],
  });
}

/** Makes a call of an agent in a session of its choice, and returns the rule that decided it. */
type CallTool = (session: string, tool: string, args?: object) => Promise<string>;

async function agentOverHttp({ send }: Pick<TestServer, 'send'>, token: string): Promise<CallTool> {
  return async (sessionId, tool, args = {}) => {
    const path = `/api/tools/mcp__shop__${tool}/call`;
    const { decision } = await bodyOf(send(token, 'POST', path, { sessionId, arguments: args }));
    return decision?.rule ?? '';
  };
}

async function assertSharedHistory(call: CallTool, callLater: CallTool): Promise<void> {
  assert.equal(await call('one', 'pay', { amount: 60 }), 'yes');
  assert.equal(await callLater('two', 'pay', { amount: 60 }), 'purse');
  for (const session of ['one', 'two']) assert.equal(await call(session, 'ring'), 'yes');
  assert.equal(await callLater('three', 'ring'), 'calm');
  assert.equal(await call('one', 'send'), 'yes', 'nothing private was read yet');
  assert.equal(await call('one', 'diary'), 'yes');
  assert.equal(await callLater('two', 'send'), 'leak');
  for (const tool of ['build', 'test']) assert.equal(await call('four', tool), 'yes');
  assert.equal(await call('five', 'build'), 'yes');
  assert.equal(await callLater('four', 'deploy'), 'tested', 'the last build was not tested');
  assert.equal(await callLater('six', 'deploy'), 'tested');
}

const stagePolicies: readonly JsonObject[] = [
  { id: 'staged', by: 'principal', requires: { mcp__stage__release: ['mcp__stage__upload'] } },
  { id: 'yes', match: 'mcp__stage__*', allow: true },
];

function stageServer(): ReturnType<typeof localServer> {
  const input = { type: 'object' };
  return localServer({
    name: 'stage',
    tools: [
      defineTool({
        name: 'upload',
        description: 'Uploads.',
        input,
        effect: 'compensable',
        run: () => 'up',
        undo: () => undefined,
      }),
      defineTool({ name: 'release', description: 'Releases.', input, effect: 'irreversible', run: () => 'out' }),
    ],
  });
}

/** Uploads at the first box and undoes the upload as a human; the second box must not count the upload as completed. */
async function assertUndoCounts(first: InternalSignalbox, openSecond: () => Promise<InternalSignalbox>): Promise<void> {
  const principal = { id: 'bot', kind: 'agent' } as const;
  const release = async (box: InternalSignalbox, session: string): Promise<string> =>
    (await box.call('mcp__stage__release', {}, { principal, session })).decision?.rule ?? '';
  const { callId } = await first.call('mcp__stage__upload', {}, { principal, session: 'one' });
  assert.equal(await release(first, 'two'), 'yes');
  const { outcome } = await first.undo.call(callId, { principal: { id: 'user:ada', kind: 'human' } });
  assert.equal(outcome, 'undone');
  assert.equal(await release(first, 'three'), 'staged');
  assert.equal(await release(await openSecond(), 'four'), 'staged');
}

describe('history of a caller that chooses its session names', () => {
  let started: ReturnType<typeof startPostgres> | undefined;
  const cluster = (): ReturnType<typeof startPostgres> => (started ??= startPostgres());
  after(async () => (await started)?.end());

  test('spans its sessions over HTTP, for flow, budget, rateLimit and requires', async (t) => {
    const box = await openSignalbox({ servers: [shopServer()], policies });
    const server = await startTestServer(t, { box });
    const call = await agentOverHttp(server, (await server.token('agent')).token);
    await assertSharedHistory(call, call);
    const other = await agentOverHttp(server, (await server.token('agent')).token);
    assert.equal(await other('seven', 'send'), 'yes', 'each principal has its own history');
  });

  test('survives a restart', async (t) => {
    const data = temporaryDirectory(t);
    const principal = { id: 'bot', kind: 'agent' } as const;
    const rule = async (box: InternalSignalbox, session: string, tool: string, args: object): Promise<string> =>
      (await box.call(`mcp__shop__${tool}`, args, { principal, session })).decision?.rule ?? '';
    const callAfterRestart: CallTool = async (session, tool, args = {}) => {
      const box = await openSignalbox({ servers: [shopServer()], policies, data });
      try {
        return await rule(box, session, tool, args);
      } finally {
        await box.close();
      }
    };
    await assertSharedHistory(callAfterRestart, callAfterRestart);
  });

  test('excludes a step that a human undid, also after a restart', async (t) => {
    const options = { servers: [stageServer()], policies: stagePolicies, data: temporaryDirectory(t) };
    const box = await openSignalbox(options);
    await assertUndoCounts(box, async () => {
      await box.close();
      const again = await openSignalbox({ ...options, servers: [stageServer()] });
      t.after(() => again.close());
      return again;
    });
  });

  test('spans new MCP sessions', async (t) => {
    const box = await openSignalbox({ servers: [shopServer()], policies });
    const { server, token } = await startTestServer(t, { box });
    const { token: presented } = await token('agent');
    const headers = {
      authorization: `Bearer ${presented}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const ask = (message: object, more: Record<string, string> = {}): Promise<Response> =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const pay = async (client: string): Promise<string> => {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: client, version: '1' } };
      const opened = await ask({ id: 1, method: 'initialize', params });
      await opened.text();
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const call = { name: 'mcp__shop__pay', arguments: { amount: 60 } };
      const answer = await ask({ id: 2, method: 'tools/call', params: call }, session);
      return await answer.text();
    };
    assert.match(await pay('one'), /done/);
    for (const client of ['one', 'two']) assert.match(await pay(client), /refused by purse/);
    const { items } = await box.journal.calls({ tool: 'mcp__shop__pay' });
    assert.equal(new Set(items.map(({ sessionId }) => sessionId)).size, 3);
  });

  test('spans replicas on one PostgreSQL database', async (t) => {
    const address = (await cluster()).address('identities');
    const boxes = await Promise.all(
      [1, 2].map(async () =>
        openSignalbox({ servers: [shopServer()], policies, store: await postgresStore({ address }) }),
      ),
    );
    t.after(() => Promise.all(boxes.map((box) => box.close())));
    const principal = { id: 'bot', kind: 'agent' } as const;
    const at =
      (box: InternalSignalbox | undefined): CallTool =>
      async (session, tool, args = {}) =>
        (await box?.call(`mcp__shop__${tool}`, args, { principal, session }))?.decision?.rule ?? '';
    // Both boxes have seen the principal before, so neither reads its whole history again.
    for (const box of boxes) assert.equal(await at(box)('zero', 'test'), 'yes');
    await assertSharedHistory(at(boxes[0]), at(boxes[1]));
  });

  test('excludes a step that a human undid at another replica', async (t) => {
    const address = (await cluster()).address('undone_steps');
    const open = async (): Promise<InternalSignalbox> => {
      const store = await postgresStore({ address });
      const box = await openSignalbox({ servers: [stageServer()], policies: stagePolicies, store });
      t.after(() => box.close());
      return box;
    };
    const [first, second] = [await open(), await open()];
    const principal = { id: 'bot', kind: 'agent' } as const;
    // The second box has seen the principal before, so it reads only new entries.
    for (const box of [first, second]) {
      const { decision } = await box.call('mcp__stage__release', {}, { principal, session: 'zero' });
      assert.equal(decision?.rule, 'staged');
    }
    await assertUndoCounts(first, async () => second);
  });
});

describe('client of signalbox stdio', () => {
  test('is a principal identified by its name and its project, in every process', async () => {
    const configuration = JSON.parse(notesProject['signalbox.config.json']) as object;
    const rules = `- { id: few, budget: { match: "mcp__notes__add", calls: 1 } }\n- { id: yes, match: "mcp__notes__*", allow: true }\n`;
    const workspace = new CliProject({
      ...notesProject,
      'policies.yaml': rules,
      'signalbox.config.json': JSON.stringify({ ...configuration, policies: 'policies.yaml' }),
    });
    const add = async (name: string): Promise<string> => {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } };
      const call = { name: 'mcp__notes__add', arguments: { text: 'a' } };
      const input = [
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
      ].map((line) => `${JSON.stringify(line)}\n`);
      return (await workspace.run(['stdio'], { input: input.join('') })).stdout;
    };
    assert.doesNotMatch(await add('Editor'), /refused/);
    for (const name of ['Editor', 'Editor\u200b', ' Editor\t']) assert.match(await add(name), /refused by few/, name);
    assert.doesNotMatch(await add('Chat'), /refused/);
    const { items } = (await workspace.json(['journal', '--limit', '50'])) as unknown as {
      items: { type: string; tool: string; principal: Principal }[];
    };
    const principals = items.flatMap(({ type, tool, principal }) =>
      type === 'ToolInvoked' && tool === 'mcp__notes__add' ? principal.id : [],
    );
    const [editor, chat] = ['Editor', 'Chat'].map((name) => `stdio:${name} in ${workspace.directory}`);
    assert.deepEqual([...new Set(principals)].toSorted(), [chat, editor]);
  });

  test('does not get an approval that was given to another client, remembered or not', async (t) => {
    const workspace = new CliProject(notesProject);
    const connect = async (name: string): Promise<() => Promise<string>> => {
      const client = new Client({ name, version: '1' });
      t.after(() => client.close());
      await client.connect(new StdioClientTransport(workspace.stdioServer()));
      return async () =>
        JSON.stringify((await client.callTool({ name: 'mcp__notes__add', arguments: { text: 'a' } })).content);
    };
    const pendingApproval = async (): Promise<string> => {
      let id = '';
      await until(async () => {
        const { items } = (await workspace.json(['approvals'])) as unknown as { items: Approval[] };
        id = items.find(({ state }) => state === 'pending')?.id ?? '';
        return id !== '';
      }, 'a pending approval');
      return id;
    };
    const [editor, chat] = [await connect('Editor'), await connect('Chat')];
    const first = editor();
    const approved = await workspace.run(['approve', await pendingApproval(), '--remember', 'arguments', '--yes']);
    assert.equal(approved.code, 0, approved.stderr);
    for (const answer of [await first, await editor()]) assert.match(answer, /added a/);
    const other = chat();
    const denied = pendingApproval().then((id) => workspace.run(['deny', id]));
    await Promise.race([other, denied]);
    assert.doesNotMatch(await other, /added a/);
  });

  test('is the same principal for the resources that it reads and subscribes to', async (t) => {
    const { command, args = [] } = fixtureProgram();
    const workspace = new CliProject({
      'signalbox.config.json': JSON.stringify({ mcpServers: { fixture: { command, args } } }),
    });
    const client = new Client({ name: 'Editor', version: '1' });
    t.after(() => client.close());
    await client.connect(new StdioClientTransport(workspace.stdioServer()));
    await client.listTools();
    await client.readResource({ uri: 'note://one' });
    await client.subscribeResource({ uri: 'note://one' });
    await client.close();
    const { items } = (await workspace.json(['journal', '--limit', '50'])) as unknown as {
      items: { type: string; tool: string; principal: Principal }[];
    };
    const callers = items.flatMap(({ type, tool, principal }) =>
      type === 'ToolInvoked' ? `${tool} by ${principal.id}` : [],
    );
    assert.deepEqual(
      callers.toSorted(),
      ['read', 'subscribe'].map(
        (operation) => `mcp__fixture__resources/${operation} by stdio:Editor in ${workspace.directory}`,
      ),
    );
  });
});

describe('names of sessions and approvers', () => {
  test('an agent cannot take over a session with another spelling of its name', async (t) => {
    const server = await startTestServer(t);
    const [owner, other] = [await server.token('agent'), await server.token('agent')];
    const call = (token: string, sessionId: string): Promise<Response> =>
      server.send(token, 'POST', '/api/tools/mcp__test__echo/call', { sessionId, arguments: { text: 'a' } });
    assert.equal((await call(owner.token, 'nightly run')).status, 200);
    for (const name of ['nightly run', 'nightly\trun', 'nightly\u00a0run', 'nightly \u200brun', ' nightly run\n']) {
      assert.equal((await call(other.token, name)).status, 404, JSON.stringify(name));
      assert.equal((await call(owner.token, name)).status, 200, JSON.stringify(name));
    }
    const { items } = await server.box.journal.calls({ tool: 'mcp__test__echo' });
    assert.deepEqual([...new Set(items.map(({ sessionId }) => sessionId))], ['nightly run']);
  });

  test('an approval names the signed-in person or the token, with the id that distinguishes tokens of the same name', async (t) => {
    const server = await startTestServer(t);
    const { box, send, server: httpServer } = server;
    const by = { id: 'alice', kind: 'human' } as const;
    const tokens = await Promise.all(
      ['agent', 'approver', 'approver'].map((role) =>
        box.tokens.create({ role: role as 'agent' | 'approver', name: role === 'agent' ? 'Night bot' : 'Phone', by }),
      ),
    );
    const [bot, ...phones] = tokens;
    const denyThrough = async (approve: (path: string) => Promise<Response>): Promise<Approval> => {
      const call = (): Promise<Response> =>
        send(bot?.token ?? '', 'POST', '/api/tools/mcp__test__burn/call', { waitSeconds: 0 });
      assert.equal((await call()).status, 202);
      const [request] = await box.approvals.list();
      assert.deepEqual(request?.principal, { id: `token:${bot?.id}`, kind: 'agent', name: 'Night bot' });
      const answer = await bodyOf<Approval>(approve(`/api/approvals/${request?.id}/deny`));
      // The caller receives the denial, and its next call asks again.
      assert.equal((await bodyOf(call())).outcome, 'denied');
      return answer;
    };
    const browser =
      (signedIn: BrowserHeaders) =>
      (path: string): Promise<Response> =>
        fetch(httpServer.url + path, {
          method: 'POST',
          headers: { ...signedIn, origin: httpServer.url, 'content-type': 'application/json' },
          body: '{}',
        });
    const local = await denyThrough(browser(await server.signIn()));
    assert.deepEqual(local.answer?.by, localUser());
    const link = await bodyOf<{ url: string }>(
      send('test-admin-token-4f1c9b', 'POST', '/api/sign-in-links?name=Grace%20Hopper'),
    );
    const opened = await fetch(link.url, { redirect: 'manual' });
    const grace = await denyThrough(browser(await browserHeaders(opened)));
    assert.deepEqual(grace.answer?.by, { id: 'user:Grace Hopper', kind: 'human' });
    for (const phone of phones) {
      const byPhone = await denyThrough((path) => send(phone.token, 'POST', path));
      assert.deepEqual(byPhone.answer?.by, { id: `token:${phone.id}`, kind: 'human', name: 'Phone' });
    }
    const { items } = await box.journal.query({ type: 'ApprovalResolved' });
    const names = items.map((entry) => (entry.type === 'ApprovalResolved' ? (entry.by.name ?? entry.by.id) : ''));
    assert.deepEqual(names, ['Phone', 'Phone', 'user:Grace Hopper', localUser().id]);
  });
});

describe('lockout after twenty wrong tokens', () => {
  test('does not affect a valid token that was never used before', async (t) => {
    const { send, token } = await startTestServer(t);
    const { token: right } = await token('agent');
    for (let time = 0; time < 20; time++) assert.equal((await send(`wrong-${time}`, 'GET', '/api/info')).status, 401);
    assert.equal((await send('wrong', 'GET', '/api/info')).status, 429);
    assert.equal((await send(right, 'GET', '/api/info')).status, 200);
  });
});
