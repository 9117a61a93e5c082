import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, messageOf, send } from '../../../../test/mcp-clients/raw.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';
import { transportOf } from '../../../../test/mcp-servers/fixture-links.ts';
import { mcpServer } from '../../../index.ts';
import { instructionsFor } from './handshake.ts';

describe('instructions for models', () => {
  test('contain the instructions of each server under its name', async (t) => {
    const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'modern stdio') });
    const { url } = await serving(t, { servers: [server] });
    await server.ready();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const { result } = await messageOf(send(url, request));
    assert.match(
      String(result?.['instructions']),
      /approved\.\n\nInstructions of the server fixture for its own tools:\nUse it in tests\.$/,
    );
    assert.ok((await begin(url))['Mcp-Session-Id'] !== '');
  });

  test('are bounded for any number of servers with long instructions', () => {
    const text = 'x'.repeat(100_000);
    const servers = Array.from({ length: 500 }, (_, at) => ({ server: `s${at}`, text }));
    const instructions = instructionsFor([...servers, { server: 'short', text: 'Short.' }], 'full');
    assert.ok(instructions.length < 17_000);
    assert.match(instructions, /Instructions of the server s0 /);
    assert.match(instructions, /Short\.$/, 'a short text still fits');
    assert.ok(instructionsFor([{ server: 'a', text: `${'x'.repeat(1999)}\u{1F600}` }], 'own').isWellFormed());
  });
});
