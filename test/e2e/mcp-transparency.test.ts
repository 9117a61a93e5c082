import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { type McpTransport, mcpServer } from '../../src/index.ts';
import { clientCapabilities as capabilities, firstClient, secondClient } from '../mcp-clients/clients.ts';
import { serving } from '../mcp-clients/serving.ts';
import { referenceServer, transparentProgram } from '../mcp-servers/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

type Program = McpTransport & { readonly type: 'stdio' };
type Kind = 'v1' | 'v2 legacy' | 'v2 modern';

/** The methods that clients of both SDKs have. */
interface AnyClient {
  listTools(): Promise<object>;
  listResources(): Promise<object>;
  listResourceTemplates(): Promise<object>;
  listPrompts(): Promise<object>;
  readResource(params: { uri: string }): Promise<object>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<object>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>;
}

/** Connects the same kind of client to a program directly and through Signalbox. */
async function connectBoth(t: TestContext, kind: Kind, program: Program): Promise<readonly [AnyClient, AnyClient]> {
  const server = mcpServer({ name: 'one', transport: program });
  await server.ready();
  const { url } = await serving(t, {
    servers: [server],
    approve: () => ({ allow: true }),
    profiles: { bare: { names: 'own', servers: ['one'], tools: ['!mcp__signalbox__*'] } },
  });
  const behind = new URL(`${url.href}/bare`);
  const { command, args, env } = { args: [], env: {}, ...program };
  const parameters = { command, args: [...args], env: { PATH: process.env['PATH'] ?? '', ...env } };
  if (kind === 'v1') {
    const client = new ClientV1({ name: 'first', version: '1.0.0' }, { capabilities });
    await client.connect(new StdioTransportV1({ ...parameters, stderr: 'ignore' }));
    t.after(() => client.close());
    return [anyResult(client), anyResult(await firstClient(t, behind))];
  }
  const era = kind === 'v2 legacy' ? 'legacy' : 'modern';
  const negotiation = era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client({ name: 'second', version: '1.0.0' }, { capabilities, ...negotiation });
  await client.connect(new StdioClientTransport({ ...parameters, stderr: 'ignore' }));
  t.after(() => client.close());
  assert.equal(client.getProtocolEra(), era);
  return [client, await secondClient(t, behind, era)];
}

/** Returns complete results: SDK v1 drops unknown fields from some results unless a request accepts any. */
function anyResult(client: ClientV1): AnyClient {
  const request = (method: string) => (params?: object) =>
    client.request({ method, params: { ...params } }, ResultSchema);
  return {
    listTools: request('tools/list'),
    listResources: request('resources/list'),
    listResourceTemplates: request('resources/templates/list'),
    listPrompts: request('prompts/list'),
    readResource: request('resources/read'),
    getPrompt: request('prompts/get'),
    callTool: request('tools/call'),
  };
}

/** Sends the same request with both clients, and compares the results, or the code, message and data of the errors. */
async function assertSame(
  [bare, behind]: readonly [AnyClient, AnyClient],
  send: (client: AnyClient) => Promise<object>,
  without: readonly string[] = [],
): Promise<object> {
  const [expected, actual] = [await resultOrError(send(bare)), await resultOrError(send(behind))];
  const drop = (result: object): object =>
    Object.fromEntries(Object.entries(result).filter(([key]) => !without.includes(key)));
  assert.deepEqual(drop(actual), drop(expected));
  return actual;
}

async function resultOrError(request: Promise<object>): Promise<object> {
  try {
    return await request;
  } catch (error) {
    const { code, message, data } = error as Error & { code?: unknown; data?: unknown };
    return { code, message, data };
  }
}

/** Signalbox sets the cache lifetime of lists, because it notifies clients of changes itself. */
const cacheFields = ['ttlMs', 'cacheScope'];

async function assertSameLists(both: readonly [AnyClient, AnyClient]): Promise<void> {
  await assertSame(both, (client) => client.listTools(), cacheFields);
  await assertSame(both, (client) => client.listResources(), cacheFields);
  await assertSame(both, (client) => client.listResourceTemplates(), cacheFields);
  await assertSame(both, (client) => client.listPrompts(), cacheFields);
}

suite('client of a server behind Signalbox', { timeout: 300_000 }, () => {
  for (const kind of ['v1', 'v2 legacy', 'v2 modern'] as const) {
    test(`gets the same as directly: icons, _meta, unknown fields, empty content, errors with code and data (${kind})`, async (t) => {
      const era = kind === 'v2 modern' ? 'modern' : 'legacy';
      const both = await connectBoth(t, kind, {
        type: 'stdio',
        command: process.execPath,
        args: [transparentProgram, era],
      });
      await assertSameLists(both);
      for (const name of ['plain', 'empty', 'failing'])
        await assertSame(both, (client) => client.callTool({ name, arguments: { n: 1 } }));
      const rich = await assertSame(both, (client) => client.callTool({ name: 'rich', arguments: { n: 1 } }));
      assert.deepEqual((rich as { unknown?: unknown }).unknown, { field: true });
      const refused = await assertSame(both, (client) => client.callTool({ name: 'refusing' }));
      assert.deepEqual((refused as { data: unknown }).data, { retryAfter: 5, list: ['a'] });
      for (const uri of ['note://one', 'note://none']) await assertSame(both, (client) => client.readResource({ uri }));
      await assertSame(both, (client) => client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } }));
      await assertSame(both, (client) => client.getPrompt({ name: 'greet' }));
    });
  }

  for (const kind of ['v1', 'v2 legacy'] as const) {
    test(`gets the same lists, calls, resources and prompts of server-everything (${kind})`, async (t) => {
      const both = await connectBoth(t, kind, referenceServer('everything'));
      await assertSameLists(both);
      const calls: readonly (readonly [string, Record<string, unknown>])[] = [
        ['echo', { message: 'hello' }],
        ['get-sum', { a: 1, b: 2 }],
        ['get-tiny-image', {}],
        ['get-structured-content', { location: 'New York' }],
        ['get-annotated-message', { messageType: 'error', includeImage: true }],
        ['get-resource-links', { count: 3 }],
        ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
      ];
      for (const [name, args] of calls) await assertSame(both, (client) => client.callTool({ name, arguments: args }));
      const { resources } = (await both[0].listResources()) as { resources: readonly { uri: string }[] };
      for (const { uri } of resources.slice(0, 3)) await assertSame(both, (client) => client.readResource({ uri }));
      await assertSame(both, (client) => client.readResource({ uri: 'demo://nowhere/none' }));
      await assertSame(both, (client) => client.getPrompt({ name: 'simple-prompt' }));
      await assertSame(both, (client) => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bern' } }));
      await assertSame(both, (client) => client.getPrompt({ name: 'args-prompt' }));
    });
  }

  test('gets the same files, image and errors of server-filesystem', async (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, 'a.txt'), 'text of a\n'.repeat(10_000));
    writeFileSync(join(directory, 'b.png'), Buffer.alloc(480_000, 7));
    const both = await connectBoth(t, 'v2 legacy', referenceServer('filesystem', [directory]));
    await assertSameLists(both);
    for (const [name, args] of [
      ['read_text_file', { path: join(directory, 'a.txt') }],
      ['read_text_file', { path: join(directory, 'none.txt') }],
      ['read_media_file', { path: join(directory, 'b.png') }],
      ['list_directory', { path: directory }],
      ['directory_tree', { path: directory }],
    ] as const)
      await assertSame(both, (client) => client.callTool({ name, arguments: args }));
  });
});
