import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { secondClient } from '../../../../test/mcp-clients/clients.ts';
import { messageOf as messageIn, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving, token } from '../../../../test/mcp-clients/serving.ts';
import { messageOf } from '../../../core/errors.ts';
import { type McpServer, mcpServer } from '../../../index.ts';

const page = 'https://accounts.example/connect?state=1';
const elicitations = [{ mode: 'url', elicitationId: 'e1', url: page, message: 'Sign in.' }];

/** A server whose tool and resource require the user to open a page first. */
const demanding = (demanded: unknown): string => `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const demand = { code: -32042, message: 'sign in first', data: ${JSON.stringify({ elicitations: demanded, more: 1 })} };
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {} }, serverInfo: { name: 'd', version: '1' } },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
    'resources/list': { resources: [{ uri: 'note://one', name: 'one' }] },
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'tools/call' || method === 'resources/read') send({ id, error: demand });
    else send({ id, ...(answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'no' } }) });
  });`;

async function demandingServer(t: TestContext, demanded: unknown = elicitations): Promise<McpServer> {
  const transport = { type: 'stdio', command: process.execPath, args: ['-e', demanding(demanded)] } as const;
  const server = mcpServer({ name: 'demanding', transport });
  t.after(() => server.close());
  await server.ready();
  return server;
}

describe('error -32042, which requires the user to open a page first', () => {
  test('names the page in the error of a call and of a read', async (t) => {
    const { box, url } = await serving(t, { servers: [await demandingServer(t)] });
    const { outcome, error, content } = await box.call('mcp__demanding__ask', {});
    assert.equal(outcome, 'failed');
    assert.ok(error?.message.includes(page), error?.message);
    assert.ok(JSON.stringify(content).includes(page), 'the model can read it');
    const answer = await fetch(new URL('/api/tools/mcp__demanding__ask/call', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"arguments":{}}',
    });
    const called = (await answer.json()) as { error: { message: string } };
    assert.ok(called.error.message.includes(page), called.error.message);
    await assert.rejects(box.resources.read('demanding', 'note://one'), (failed) => messageOf(failed).includes(page));
  });

  for (const era of ['legacy', 'modern'] as const)
    test(`names the page to a client of the MCP endpoint (${era})`, async (t) => {
      const { url } = await serving(t, { servers: [await demandingServer(t)] });
      const client = await secondClient(t, url, era);
      const received = await client.callTool({ name: 'mcp__demanding__ask', arguments: {} }).then(
        (result) => JSON.stringify(result),
        (error: unknown) => messageOf(error),
      );
      assert.ok(received.includes(page), received);
    });

  test('reaches clients only with the URLs of web pages', async (t) => {
    const other = (url: unknown): object => ({ mode: 'url', elicitationId: 'e2', url, message: 'Sign in.' });
    const bad = ['javascript:alert(1)', 'java\nscript:alert(1)', 'file:///etc/passwd', 'no address', 7].map(other);
    const { url } = await serving(t, { servers: [await demandingServer(t, [...bad, ...elicitations])] });
    for (const ask of [askTool, askResource])
      assert.deepEqual(await ask(url), {
        code: -32_042,
        message: `sign in first; open ${page}, then call again`,
        data: { elicitations, more: 1 },
      });
  });

  for (const demanded of [[{ mode: 'url', url: 'javascript:alert(1)' }], { url: 'javascript:alert(1)' }, [null]])
    test(`becomes an internal error when it names no web page: ${JSON.stringify(demanded)}`, async (t) => {
      const { url } = await serving(t, { servers: [await demandingServer(t, demanded)] });
      const message = 'sign in first; the server requires the user to open a URL that is not a web page';
      for (const ask of [askTool, askResource]) assert.deepEqual(await ask(url), { code: -32_603, message });
    });
});

async function askTool(url: URL): Promise<unknown> {
  return (await messageIn(sendModern(url, 'tools/call', { name: 'mcp__demanding__ask', arguments: {} }))).error;
}

async function askResource(url: URL): Promise<unknown> {
  return (await messageIn(sendModern(url, 'resources/read', { uri: 'note://one' }))).error;
}
