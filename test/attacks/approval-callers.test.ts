import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type ServedProject, openWindow, serve, token } from '../browser/served-console.ts';
import { CliProject, waitForOutput } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';

const tools = `
import { defineTool } from 'signalbox';
const input = { type: 'object', additionalProperties: true } as const;
export const run = defineTool({ name: 'run', description: 'Runs.', effect: 'undoable', input, run: () => 'ran' });
export const hang = defineTool({ name: 'hang', description: 'Hangs.', effect: 'read', input, run: () => new Promise(() => undefined) });
`;
const files = {
  'tools.ts': tools,
  'signalbox.config.json': JSON.stringify({ mcpServers: { shop: { module: './tools.ts' } } }),
};

interface PendingRequest {
  readonly id: string;
  readonly callId: string;
  readonly caller?: string;
}

interface CallDetails {
  readonly outcome?: string;
  readonly ran?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

const pendingRequests = async ({ request }: ServedProject): Promise<readonly PendingRequest[]> =>
  ((await request('GET', '/api/approvals?state=pending')) as { items: readonly PendingRequest[] }).items;

/** Starts a call that asks for approval; resolves with a function that disconnects its caller. */
type StartCall = (served: ServedProject, args: object) => Promise<() => Promise<unknown>>;

function post(url: string, body: object, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  const defaults = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
  return fetch(url, {
    method: 'POST',
    headers: { ...defaults, ...headers },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function mcpSession(url: string): Promise<Record<string, string>> {
  const response = await post(`${url}/mcp`, initialize, { accept: 'application/json, text/event-stream' });
  await response.text();
  return {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
    accept: 'application/json, text/event-stream',
  };
}

const toolCall = (args: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'mcp__shop__run', arguments: args },
});

const callers: Readonly<Record<string, StartCall>> = {
  'HTTP API, disconnected': async ({ url }, args) => {
    const abort = new AbortController();
    const call = post(`${url}/api/tools/mcp__shop__run/call`, { arguments: args }, {}, abort.signal);
    return async () => {
      abort.abort();
      await assert.rejects(call);
    };
  },
  'HTTP API, wait timed out': async ({ url }, args) => {
    const call = post(`${url}/api/tools/mcp__shop__run/call`, { arguments: args, waitSeconds: 3 }, {});
    return async () => assert.equal((await call).status, 202);
  },
  'MCP over HTTP, disconnected': async ({ url }, args) => {
    const abort = new AbortController();
    const call = post(`${url}/mcp`, toolCall(args), await mcpSession(url), abort.signal);
    return async () => {
      abort.abort();
      await assert.rejects(call);
    };
  },
  'MCP over HTTP, cancelled': async ({ url }, args) => {
    const headers = await mcpSession(url);
    const call = post(`${url}/mcp`, toolCall(args), headers);
    return async () => {
      const params = { requestId: 1 };
      await post(`${url}/mcp`, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, headers);
      await (await call).text();
    };
  },
  'MCP over stdio, killed': async ({ project }, args) => {
    const child = project.start(['stdio']);
    child.stderr.resume();
    const ready = waitForOutput(child.stdout, /"id":0/);
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await ready;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    child.stdin.write(`${JSON.stringify(toolCall(args))}\n`);
    return async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    };
  },
  'session, interrupted': async ({ request }, args) => {
    const { id } = (await request('POST', '/api/sessions', {})) as { id: string };
    await request('POST', `/api/sessions/${id}/messages`, { content: `call mcp__shop__run ${JSON.stringify(args)}` });
    return () => request('POST', `/api/sessions/${id}/interrupt`, {});
  },
};

describe('pending approval whose caller disconnects', () => {
  let served: ServedProject;
  let page: Page;
  before(async () => {
    served = await serve(new CliProject(files));
    ({ page } = await openWindow(served));
    await page.goto(`${served.url}/inbox`);
  });

  for (const [name, startCall] of Object.entries(callers))
    it(`${name}: inbox, API and CLI show that the caller is gone, and what approving does`, async () => {
      const disconnect = await startCall(served, { command: name });
      const card = page.getByRole('region', { name: 'Approval of mcp__shop__run' });
      await card.getByText(`"${name}"`).waitFor();
      await until(async () => (await pendingRequests(served))[0]?.caller === 'waiting', 'the caller waits');
      await card.getByText('The caller is no longer waiting').waitFor({ state: 'detached' });
      await card.getByRole('button', { name: /^Approve$/ }).waitFor();
      await disconnect();
      const [listed] = (await served.project.json(['approvals']))['items'] as PendingRequest[];
      assert.equal(listed?.caller, 'gone', 'the CLI reports it at once');
      await card.getByText('The caller is no longer waiting').waitFor();
      await card.getByText(/^Approving does not run the call now/).waitFor();
      await card.getByRole('button', { name: /^Approve for later/ }).waitFor();
      const [{ id, callId } = { id: '', callId: '' }] = await pendingRequests(served);
      let details: CallDetails = {};
      await until(async () => {
        details = (await served.request('GET', `/api/calls/${callId}`).catch(() => ({}))) as CallDetails;
        return details.outcome !== undefined;
      }, 'the call has an outcome');
      assert.equal(details.ran, false);
      await served.request('POST', `/api/approvals/${id}/deny`, {});
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('Nothing is waiting for you').waitFor();
    });

  it('a caller that reconnects is waiting again, and the button that runs the call is disabled at first', async () => {
    const args = { arguments: { command: 'again' } };
    const address = `${served.url}/api/tools/mcp__shop__run/call`;
    assert.equal((await post(address, { ...args, waitSeconds: 0 }, {})).status, 202);
    const later = page.getByRole('button', { name: /^Approve for later/ });
    await later.and(page.locator(':enabled')).waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const call = post(address, args, {});
    const approve = page.getByRole('button', { name: /^Approve$/ });
    await until(async () => {
      await page.clock.runFor(50);
      return await approve.isVisible();
    }, 'the button runs the call');
    assert.equal(await approve.isDisabled(), true);
    await page.clock.runFor(1100);
    await page.clock.resume();
    await approve.click();
    assert.equal(((await (await call).json()) as { outcome: string }).outcome, 'completed');
  });
});

describe('killed server with open calls', () => {
  let first: ServedProject;
  let second: ServedProject | undefined;
  after(() => second?.stop());

  it('shows no call as running or waiting after a restart: sessions, calls and approvals report what is known', async () => {
    first = await serve(new CliProject(files));
    const { page } = await openWindow(first);
    const { id } = (await first.request('POST', '/api/sessions', { title: 'Killed' })) as { id: string };
    const content = 'call mcp__shop__run {"command":"x"}\ncall mcp__shop__hang {}';
    await first.request('POST', `/api/sessions/${id}/messages`, { content });
    await page.goto(`${first.url}/sessions/${id}`);
    const waiting = page.getByRole('region', { name: 'Call of run' });
    const running = page.getByRole('region', { name: 'Call of hang' });
    await waiting.getByText('waiting for you').waitFor();
    await running.getByText('running', { exact: true }).waitFor();
    // The call of this client ends with the server.
    const clientCall = post(`${first.url}/api/tools/mcp__shop__run/call`, { arguments: { command: 'y' } }, {});
    clientCall.catch(() => undefined);
    await until(
      async () => (await pendingRequests(first)).filter(({ caller }) => caller === 'waiting').length === 2,
      'both callers wait',
    );
    const requests = await pendingRequests(first);
    await first.kill();
    const listed = (await first.project.json(['approvals']))['items'] as PendingRequest[];
    assert.deepEqual(
      listed.map(({ caller }) => caller),
      ['gone', 'gone'],
    );

    second = await serve(first.project, Number(new URL(first.url).port));
    const { request } = second;
    for (const { callId } of requests) {
      const details = (await request('GET', `/api/calls/${callId}`)) as CallDetails;
      assert.deepEqual([details.outcome, details.ran, details.error?.code], ['cancelled', false, 'process-ended']);
      assert.match(
        details.error?.message ?? '',
        /^interrupted: .* ended while the call waited for approval; nothing ran/,
      );
    }
    assert.ok((await pendingRequests(second)).every(({ caller }) => caller === 'gone'));
    await waiting.getByText('Interrupted: the process that ran the turn ended; nothing ran').waitFor();
    await waiting.getByText('cancelled', { exact: true }).waitFor();
    await running.getByText('unknown', { exact: true }).waitFor();
    await running.getByText(/may have taken effect/).waitFor();
    const outdated = page.getByText(/No answer in time|^running$|waiting for you/);
    await until(async () => (await outdated.count()) === 0, 'the page shows no call as running or waiting');
    const { items } = (await request('GET', '/api/calls?tool=mcp__shop__hang')) as { items: readonly CallDetails[] };
    assert.deepEqual(
      items.map(({ outcome }) => outcome),
      ['unknown'],
    );
    const journal = (await first.project.json(['journal', '--tool', 'mcp__shop__run']))['items'] as CallDetails[];
    assert.ok(journal.some(({ error }) => error?.code === 'process-ended'));
    assert.equal(((await request('GET', `/api/sessions/${id}`)) as { state: string }).state, 'idle');
  });
});
