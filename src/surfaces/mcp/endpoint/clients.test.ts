import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstClient, secondClient } from '../../../../test/mcp-clients/clients.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';
import { transportOf, ways } from '../../../../test/mcp-servers/ways.ts';
import { mcpServer } from '../../../index.ts';

function textOf(result: { content?: unknown }): string {
  const [first] = result.content as { text: string }[];
  return first?.text ?? '';
}

for (const way of ways) {
  describe(`a server over ${way}`, () => {
    for (const era of ['legacy', 'modern'] as const) {
      test(`its tools are listed and called by a client of the second SDK (${era})`, async (t) => {
        const server = mcpServer({ name: 'fixture', transport: await transportOf(t, way) });
        const { url } = await serving(t, { servers: [server] });
        await server.ready();
        const client = await secondClient(t, url, era);
        assert.equal(client.getProtocolEra(), era);
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === 'mcp__fixture__echo'));
        const result = await client.callTool({ name: 'mcp__fixture__echo', arguments: { text: 'hello' } });
        assert.equal(textOf(result), 'hello');
        const failed = await client.callTool({ name: 'mcp__fixture__fail', arguments: {} });
        assert.equal(failed.isError, true);
      });

      test(`its questions are answered by the client that made the call (${era})`, async (t) => {
        const server = mcpServer({ name: 'fixture', transport: await transportOf(t, way) });
        const { url } = await serving(t, { servers: [server] });
        await server.ready();
        const asked: string[] = [];
        const client = await secondClient(t, url, era, (made) =>
          made.setRequestHandler('elicitation/create', ({ params }) => {
            asked.push(params.message);
            return { action: 'accept', content: { answer: 'wet' } };
          }),
        );
        const result = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
        assert.equal(textOf(result), 'rain: wet');
        assert.deepEqual(asked, ['What about rain?']);
      });
    }
  });
}

test('a client of the first SDK lists, calls and is asked', async (t) => {
  const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'legacy stdio') });
  const { url } = await serving(t, { servers: [server] });
  await server.ready();
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const client = await firstClient(t, url, (made) =>
    made.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { answer: 'wet' } })),
  );
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'mcp__fixture__echo'));
  const result = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
  assert.equal(textOf(result as { content?: unknown }), 'rain: wet');
});
